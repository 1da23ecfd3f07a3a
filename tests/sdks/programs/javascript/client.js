// The client: one JSON object a line says what to do, one JSON object a line says what came of it.
//
// A request is `{"do": NAME, ...}` with the arguments of the function of that name below. The answer is
// `{"answer": ...}`, or `{"error": {"code": ..., "message": ...}}` with the code of gRPC when the host refused it or
// could not be reached, or with the name of whatever else went wrong.

"use strict";

const readline = require("node:readline");
const grpc = require("@grpc/grpc-js");
const sdk = require("./sdk");

// How long a call may take. It is only there so that a hang is told from a slow machine.
const LIMIT_SECONDS = 120;

const requests = {
  start: (client, { workflow, id, input, start_at }) =>
    client.scheduleNewOrchestration(workflow, input, id, start_at === undefined ? undefined : new Date(start_at)),
  get: async (client, { id }) => seen(await client.getOrchestrationState(id)),
  wait_for_start: async (client, { id }) => seen(await client.waitForOrchestrationStart(id, true, LIMIT_SECONDS)),
  wait: async (client, { id }) => seen(await client.waitForOrchestrationCompletion(id, true, LIMIT_SECONDS)),
  raise_event: (client, { id, event, data }) => client.raiseOrchestrationEvent(id, event, data),
  terminate: (client, { id, output }) => client.terminateOrchestration(id, output),
  suspend: (client, { id }) => client.suspendOrchestration(id),
  resume: (client, { id }) => client.resumeOrchestration(id),
  purge: async (client, { id }) => {
    await client.purgeOrchestration(id);
  },
};

// The state of an instance, as far as the tests look at it.
function seen(state) {
  if (state === undefined) {
    return null;
  }
  const failure = state.failureDetails;
  return {
    status: sdk.OrchestrationStatus[state.runtimeStatus],
    output: state.serializedOutput ?? null,
    custom_status: state.serializedCustomStatus ?? null,
    failure: failure ? { type: failure.errorType, message: failure.message } : null,
  };
}

async function answer(client, { do: name, ...rest }) {
  try {
    return { answer: (await requests[name](client, rest)) ?? null };
  } catch (error) {
    // One request that goes wrong is not to be the end of those after it.
    const code = grpc.status[error.code] ?? error.constructor.name;
    return { error: { code, message: error.details ?? error.message } };
  }
}

exports.run = async (address) => {
  const client = sdk.client(address);
  for await (const line of readline.createInterface({ input: process.stdin })) {
    process.stdout.write(`${JSON.stringify(await answer(client, JSON.parse(line)))}\n`);
  }
  process.exit(0);
};
