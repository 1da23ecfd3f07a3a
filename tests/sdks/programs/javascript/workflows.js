// Workflows that every SDK in JavaScript runs. Each does one thing, and returns what it saw.

"use strict";

const sdk = require("./sdk");
const { Refused } = require("./activities");

// How often a collector continues as new.
const RESTARTS = 5;

const now = (ctx) => ctx.currentUtcDateTime.getTime();

const workflows = {
  // Greets one after the other.
  sequence: async function* (ctx, names) {
    const greetings = [];
    for (const name of names) {
      greetings.push(yield ctx.callActivity("greet", name));
    }
    return greetings;
  },

  // Sleeps, and says for how long it did.
  sleeper: async function* (ctx, milliseconds) {
    const began = now(ctx);
    yield ctx.createTimer(milliseconds / 1000);
    return now(ctx) - began;
  },

  // Says when it began.
  clock: async (ctx) => now(ctx),

  // Waits for an event for as long as it takes.
  listener: async function* (ctx, event) {
    return yield ctx.waitForExternalEvent(event);
  },

  // Waits for event `answer`, but not longer than this.
  patient: async function* (ctx, milliseconds) {
    const event = ctx.waitForExternalEvent("answer");
    const first = yield sdk.whenAny([event, ctx.createTimer(milliseconds / 1000)]);
    return first === event ? event.getResult() : "nothing came";
  },

  // Doubles so many numbers at once, and adds the results.
  fan: async function* (ctx, count) {
    const numbers = Array.from({ length: count }, (_, index) => index + 1);
    const doubled = yield sdk.whenAll(numbers.map((number) => ctx.callActivity("double", number)));
    return doubled.reduce((sum, number) => sum + number, 0);
  },

  calls_activity: async function* (ctx, { activity, input }) {
    return yield ctx.callActivity(activity, input);
  },

  calls_child: async function* (ctx, { workflow, input, id }) {
    return yield sdk.callChild(ctx, workflow, input, id);
  },

  // Calls an activity until it succeeds or the attempts are used up.
  persistent: async function* (ctx, task) {
    return yield ctx.callActivity("flaky", task, { retry: sdk.retryPolicy(task.attempts) });
  },

  // Calls a child until it succeeds or the attempts are used up.
  persistent_parent: async function* (ctx, task) {
    return yield sdk.callChild(ctx, "brittle", task, undefined, sdk.retryPolicy(task.attempts));
  },

  // Calls an activity once.
  brittle: async function* (ctx, task) {
    return yield ctx.callActivity("flaky", task);
  },

  // Takes one number in each of its lives, and returns them all in the last. Its status says how many it has.
  collector: async function* (ctx, soFar) {
    ctx.setCustomStatus(`${soFar.length} seen`);
    const seen = [...soFar, yield ctx.waitForExternalEvent("number")];
    if (seen.length > RESTARTS) {
      return seen;
    }
    ctx.continueAsNew(seen, true);
  },

  // Tells by its status how far it is.
  announcer: async function* (ctx) {
    ctx.setCustomStatus("waits");
    yield ctx.waitForExternalEvent("go");
    ctx.setCustomStatus("went");
    return "done";
  },

  // Fails by itself.
  raising: async function* (ctx, message) {
    throw new Refused(message);
  },

  // Tells how an activity failed.
  witness: async function* (ctx, message) {
    try {
      return yield ctx.callActivity("refuse", message);
    } catch (error) {
      return { type: error.details.errorType, message: error.details.message };
    }
  },

  // Does a bit of everything, and returns all that it saw on the way.
  journey: async function* (ctx, ledger) {
    const id = ctx.instanceId;
    const first = yield ctx.callActivity("record", { ledger, line: `${id} first` });
    yield ctx.createTimer(0.02);
    const event = yield ctx.waitForExternalEvent("go");
    const child = yield sdk.callChild(ctx, "detour", ledger, `${id}-detour`);
    const last = yield ctx.callActivity("record", { ledger, line: `${id} last` });
    return [first, event, child, last];
  },

  // The child of a journey.
  detour: async function* (ctx, ledger) {
    return yield ctx.callActivity("record", { ledger, line: `${ctx.instanceId} only` });
  },
};

module.exports = { workflows };
