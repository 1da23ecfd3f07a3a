;; The smallest component of the world `workflow`, with the bodies of its two functions left open, and the places where
;; it gets more memories, tables and host functions. Its memory: at 16 the list that `describe` returns, of one workflow
;; named "w"; at 512 room for the result of `run`; at 1024 what the host hands over; the rest is free.
(component
  (import "everturn:workflow/types@0.1.0" (instance $types
    (type $cause (record (field "error-type" string) (field "message" string) (field "details" (option string))))
    (export "cause" (type $exported-cause (eq $cause)))
    (type $failure (record
      (field "error-type" string) (field "message" string) (field "details" (option string))
      (field "causes" (list $exported-cause)) (field "retriable" bool)))
    (export "failure" (type (eq $failure)))))
  (alias export $types "cause" (type $cause))
  (alias export $types "failure" (type $failure))
  (type $description (record
    (field "name" string) (field "summary" string)
    (field "signals" (list string)) (field "updates" (list string)) (field "queries" (list string))))

  ;; Host functions need a memory before there is code to call them.
  (core module $room
    (memory (export "memory") 1)
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024)))
  (core instance $room (instantiate $room))
  (alias core export $room "memory" (core memory $memory))
  (alias core export $room "realloc" (core func $realloc))

  ;; HOST FUNCTIONS

  (core module $code
    (import "room" "memory" (memory 1))
    ;; MODULE
    (data (i32.const 16) "\40\00\00\00\01\00\00\00")
    (data (i32.const 64) "\20\00\00\00\01\00\00\00")
    (data (i32.const 32) "w")
    (func (export "describe") (result i32)
      ;; DESCRIBE
      (i32.const 16))
    (func $run (export "run") (param i32 i32 i32 i32) (result i32)
      ;; RUN
      (i32.const 512)))
  (core instance $code (instantiate $code
    (with "room" (instance $room))
    ;; ARGUMENTS
  ))

  (func $describe (result (list $description))
    (canon lift (core func $code "describe") (memory $memory)))
  (func $run async (param "workflow" string) (param "input" string) (result (result string (error $failure)))
    (canon lift (core func $code "run") (memory $memory) (realloc $realloc)))

  ;; Functions at the border may only mention types that have a name there: a component in between names them.
  (component $border
    (type $cause-record (record (field "error-type" string) (field "message" string) (field "details" (option string))))
    (import "cause" (type $cause (eq $cause-record)))
    (type $failure-record (record
      (field "error-type" string) (field "message" string) (field "details" (option string))
      (field "causes" (list $cause)) (field "retriable" bool)))
    (import "failure" (type $failure (eq $failure-record)))
    (type $description-record (record
      (field "name" string) (field "summary" string)
      (field "signals" (list string)) (field "updates" (list string)) (field "queries" (list string))))
    (import "description" (type $description (eq $description-record)))
    (import "describe-inside" (func $describe (result (list $description))))
    (import "run-inside" (func $run async
      (param "workflow" string) (param "input" string) (result (result string (error $failure)))))
    (export $named-failure "failure" (type $failure))
    (export $named-description "workflow-description" (type $description))
    (export "describe" (func $describe) (func (result (list $named-description))))
    (export "run" (func $run) (func async
      (param "workflow" string) (param "input" string) (result (result string (error $named-failure))))))
  (instance $workflows (instantiate $border
    (with "cause" (type $cause))
    (with "failure" (type $failure))
    (with "description" (type $description))
    (with "describe-inside" (func $describe))
    (with "run-inside" (func $run))))
  (export "everturn:workflow/workflows@0.1.0" (instance $workflows)))
