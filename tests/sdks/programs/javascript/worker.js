// The worker: registers all workflows and activities, says `ready`, and runs until nobody holds its standard input.
//
// Options, all of which may be absent:
//     name      what the activities call this worker (default: "worker")

"use strict";

const sdk = require("./sdk");
const { activities } = require("./activities");
const { workflows } = require("./workflows");

exports.run = async (address, options) => {
  const worker = sdk.worker(address);
  for (const [name, workflow] of Object.entries(workflows)) {
    worker.addNamedOrchestrator(name, workflow);
  }
  for (const [name, activity] of Object.entries(activities(options.name ?? "worker"))) {
    worker.addNamedActivity(name, activity);
  }
  await worker.start();
  process.stdout.write("ready\n");
  process.stdin.resume();
  process.stdin.on("end", () => process.exit(0));
};
