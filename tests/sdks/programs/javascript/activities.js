// Activities that every SDK in JavaScript runs.

"use strict";

const fs = require("node:fs");
const { setTimeout: sleep } = require("node:timers/promises");

// How often a blocked activity looks whether it may go on.
const PAUSE_MILLISECONDS = 20;

// The failure that the tests look for: its type and its message.
class Refused extends Error {
  constructor(message) {
    super(message);
    this.name = "Refused";
  }
}

// Appends a line; returns how many there are.
function note(ledger, line) {
  fs.appendFileSync(ledger, `${line}\n`);
  return fs.readFileSync(ledger, "utf8").split("\n").length - 1;
}

// The activities of one worker.
const activities = (worker) => ({
  greet: (_, name) => `Hello, ${name}!`,

  double: (_, number) => 2 * number,

  refuse: (_, message) => {
    throw new Refused(message);
  },

  // Fails as often as it is told to, and then says how many attempts that made.
  flaky: (_, { ledger, failures }) => {
    const attempt = note(ledger, "attempt");
    if (attempt <= failures) {
      throw new Refused(`attempt ${attempt}`);
    }
    return attempt;
  },

  // Says that it began, blocks until the gate opens, and says who finished.
  hold: async (_, { ledger, gate }) => {
    note(ledger, `${worker} began`);
    while (!fs.existsSync(gate)) {
      await sleep(PAUSE_MILLISECONDS);
    }
    return worker;
  },

  // Leaves a line in the ledger, and returns it.
  record: (_, { ledger, line }) => {
    note(ledger, line);
    return line;
  },
});

module.exports = { Refused, activities };
