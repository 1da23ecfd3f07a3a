//! What is made of an `impl`, and what is said when it does not fit.

use super::*;

const RUN: &str = "#[run] async fn run(ctx: Ctx<Self>) -> Result<()> {}";

fn expanded(arguments: &str, block: &str) -> String {
    expand(arguments.parse().unwrap(), syn::parse_str(block).unwrap()).to_string()
}

#[track_caller]
fn assert_refused(block: &str, message: &str) {
    let code = expanded("", block);
    assert!(code.contains("compile_error"), "{block}: {code}");
    assert!(code.contains(message), "{block}: {code}");
    assert!(!code.contains("# [signal") && !code.contains("# [run"), "marks stay: {code}");
}

#[test]
fn mistakes_in_the_whole_are_answered_with_what_to_do() {
    for (block, message) in [
        ("impl S {}", "mark an `async fn run(ctx: Ctx<Self>) -> Result<..>` with `#[run]`"),
        ("impl<T> S<T> {}", "a workflow cannot be generic"),
        ("impl Clone for S {}", "write `impl Name`, without a trait"),
        ("impl [u8] {}", "a struct or an enum of its own"),
    ] {
        assert_refused(block, message);
    }
    let twice = format!("impl S {{ {RUN} {RUN} }}");
    assert_refused(&twice, "a workflow has one `#[run]`");
    assert!(expanded("nam = \"x\"", &format!("impl S {{ {RUN} }}")).contains("knows only `name = \\\"...\\\"`"));
}

#[test]
fn mistakes_in_the_main_function_and_in_init_are_answered_with_what_to_do() {
    for (method, message) in [
        ("#[run] fn run(ctx: Ctx<Self>) -> Result<()> {}", "`#[run]` is an `async fn`"),
        ("#[run] async fn run(&mut self, ctx: Ctx<Self>) -> Result<()> {}", "use `ctx.read` and `ctx.change`"),
        ("#[run] async fn run() -> Result<()> {}", "write `ctx: Ctx<Self>`"),
        ("#[run] async fn run(ctx: &Ctx<Self>) -> Result<()> {}", "remove the `&`"),
        ("#[run] async fn run(ctx: Ctx<Self>, a: &str) -> Result<()> {}", "owns what it is given"),
        ("#[run] async fn run(ctx: Ctx<Self>, a: u8, b: u8) -> Result<()> {}", "put several values into a struct"),
        ("#[run] async fn run(ctx: Ctx<Self>) {}", "write `-> Result<()>`"),
        ("#[run] async fn run<T>(ctx: Ctx<Self>) -> Result<()> {}", "cannot be generic"),
        ("#[run(name = \"x\")] async fn run(ctx: Ctx<Self>) -> Result<()> {}", "the name is given to `#[workflow]`"),
        ("#[init] async fn new() -> Self {}", "`#[init]` makes the state and cannot wait"),
        ("#[init] fn new(&self) -> Self {}", "so it has no `self`"),
        ("#[init] fn new(input: u8) -> Self {}", "write it with a `&`"),
        ("#[init] fn new() {}", "write `-> Self`"),
    ] {
        assert_refused(&format!("impl S {{ {method} }}"), message);
    }
}

#[test]
fn mistakes_in_handlers_are_answered_with_what_to_do() {
    for (method, message) in [
        ("#[signal] fn f(self) {}", "write `&mut self`"),
        ("#[signal] fn f(by: String) {}", "takes `&mut self`, or is an `async fn`"),
        ("#[signal] async fn f(&mut self) {}", "a signal that waits has no `self`"),
        ("#[signal] async fn f(by: String) {}", "write `ctx: Ctx<Self>`"),
        ("#[signal] fn f(&mut self, ctx: Ctx<Self>) {}", "write `&Ctx<Self>`"),
        ("#[signal] fn f(&mut self, a: u8, b: u8) {}", "a signal takes one input"),
        ("#[signal] fn f(&mut self, by: &str) {}", "remove the `&`"),
        ("#[signal] fn f(&mut self) -> u8 {}", "what answers is an `#[update]`"),
        ("#[signal] fn f<T>(&mut self, by: T) {}", "a signal cannot be generic"),
        ("#[signal(name = \"\")] fn f(&mut self) {}", "1 to 256 bytes"),
        ("#[signal] #[query] fn f(&self) -> u8 {}", "write two methods"),
        (
            "#[signal] fn f(&mut self) {} #[signal(name = \"F\")] fn g(&mut self) {}",
            "there is a signal of the name `F`",
        ),
        ("#[query] fn f(&mut self) -> u8 {}", "a query only looks: write `&self`"),
        ("#[query] async fn f(&self) -> u8 {}", "a query only looks and cannot wait"),
        ("#[query] fn f() -> u8 {}", "write `&self` first"),
        ("#[query] fn f(&self) {}", "give it a type to return"),
        ("#[query] fn f(&self, a: u8, b: u8) -> u8 {}", "a query takes one input"),
        (
            "#[query] fn f(&self) -> u8 {} #[query(name = \"f\")] fn g(&self) -> u8 {}",
            "there is a query of the name `f`",
        ),
        ("#[update] fn f() -> u8 {}", "an update takes `&mut self`"),
        ("#[update] async fn f(&self) -> u8 {}", "an update that waits has no `self`"),
        (
            "#[update] fn f(&mut self) {} #[update(name = \"f\")] fn g(&mut self) {}",
            "there is an update of the name `f`",
        ),
    ] {
        assert_refused(&format!("impl S {{ {RUN} {method} }}"), message);
    }
}

#[test]
fn mistakes_in_validators_are_answered_with_what_to_do() {
    for (method, message) in [
        ("#[validate] fn v(&self) -> Result<()> {}", "say which update it checks"),
        ("#[validate(g)] fn v(&self) -> Result<()> {}", "no update is a method `g`; there is `f`"),
        ("#[validate(f)] fn v(&mut self) -> Result<()> {}", "a validator only looks: write `&self`"),
        ("#[validate(f)] async fn v(&self) -> Result<()> {}", "cannot wait"),
        ("#[validate(f)] fn v(&self, by: u8) -> Result<()> {}", "write it with a `&`"),
        ("#[validate(f)] fn v(&self) -> bool {}", "write `-> Result<()>`"),
        ("#[validate(h)] fn v(&self, by: &u8) -> Result<()> {} #[update] fn h(&mut self) {}", "takes no input"),
        (
            "#[validate(f)] fn v(&self) -> Result<()> {} #[validate(f)] fn w(&self) -> Result<()> {}",
            "update `f` has a validator already",
        ),
    ] {
        assert_refused(&format!("impl S {{ {RUN} #[update] fn f(&mut self, by: u8) {{}} {method} }}"), message);
    }
    assert_refused(&format!("impl S {{ {RUN} #[validate(f)] fn v(&self) -> Result<()> {{}} }}"), "there is no update");
}

#[test]
fn a_workflow_keeps_its_methods_and_is_registered_with_its_handlers() {
    let code = expanded(
        "",
        "/// One.\n///\n/// Two.\nimpl OrderToShip {
            #[run] async fn run(ctx: Ctx<Self>, order: Order) -> Result<()> {}
            #[signal] fn pay(&mut self, amount: u64) {}
            #[signal(name = \"Cancel\")] async fn cancel(ctx: Ctx<Self>) -> Result<()> {}
            #[query] fn status(&self) -> Status {}
            #[update] fn extend(&mut self) -> Result<u8> {}
            fn helper(&self) {}
        }",
    );
    for part in [
        "fn helper",
        "name : \"order_to_ship\" , summary : \"One.\"",
        "signals : & [\"pay\" , \"Cancel\"] , updates : & [\"extend\"] , queries : & [\"status\"]",
        "methods . signal :: < u64 >",
        "methods . async_signal :: < () , _ >",
        "Default",
    ] {
        assert!(code.contains(part), "no {part}: {code}");
    }
    assert!(!code.contains("compile_error"), "{code}");
}

#[test]
fn a_given_name_wins_and_the_main_function_may_say_what_it_does() {
    let block = "impl S { /// One.\n #[run] async fn run(ctx: Ctx<Self>) -> Result<()> {} }";
    assert!(expanded("name = \"ship\"", block).contains("name : \"ship\" , summary : \"One.\""));
}

#[test]
fn a_handler_is_registered_when_it_is_there() {
    let code = expanded(
        "",
        &format!(
            "impl S {{
                {RUN}
                #[cfg(unix)] #[cfg(test)] #[signal] fn pay(&mut self) {{}}
                #[query] #[cfg(unix)] fn status(&self) -> u8 {{}}
                #[update] fn extend(&mut self) {{}}
                #[cfg(unix)] #[validate(extend)] fn check(&self) -> Result<()> {{}}
            }}"
        ),
    );
    for part in [
        "# [cfg (all (unix , test))] methods . signal",
        "signals : & [# [cfg (all (unix , test))] \"pay\"]",
        "# [cfg (all (unix))] methods . query",
        "queries : & [# [cfg (all (unix))] \"status\"]",
        "# [cfg (not (all (unix)))] methods . update",
        "updates : & [\"extend\"]",
        "# [cfg (unix)] # [cfg (test)] fn pay",
    ] {
        assert!(code.contains(part), "no {part}: {code}");
    }
    for (method, message) in [
        ("#[cfg(unix)] #[run] async fn run(ctx: Ctx<Self>) -> Result<()> {}", "on the whole workflow"),
        ("#[init] #[cfg(unix)] fn new() -> Self {}", "put the `#[cfg]` inside of it"),
    ] {
        assert_refused(&format!("impl S {{ {method} }}"), message);
    }
}
