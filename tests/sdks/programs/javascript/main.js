// One end of a test with a published SDK for JavaScript: a worker or a client, as its first argument says.
//
//     main.js worker ADDRESS OPTIONS    runs workflows and activities until its standard input closes
//     main.js client ADDRESS            does what each line of its standard input asks for, and answers with a line
//
// OPTIONS is a JSON object; worker.js says what may be in it, client.js what a line may ask for.

"use strict";

// Standard output belongs to the test; what the SDK has to say goes to the log.
console.log = console.info = console.debug = console.error;

const [role, address, options = "{}"] = process.argv.slice(2);

if (role === "worker") {
  require("./worker").run(address, JSON.parse(options));
} else if (role === "client") {
  require("./client").run(address);
} else {
  console.error(`neither worker nor client: ${role}`);
  process.exit(1);
}
