// The SDK that is installed here, under names that both of them share: Microsoft's, or the older one of Dapr.

"use strict";

function installed(name) {
  try {
    return require(name);
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND") {
      throw error;
    }
    return undefined;
  }
}

const microsoft = installed("@microsoft/durabletask-js");

if (microsoft) {
  const { RetryPolicy, OrchestrationStatus, whenAll, whenAny, TaskHubGrpcClient, TaskHubGrpcWorker } = microsoft;
  module.exports = {
    OrchestrationStatus,
    whenAll,
    whenAny,
    worker: (hostAddress) => new TaskHubGrpcWorker({ hostAddress }),
    client: (hostAddress) => new TaskHubGrpcClient({ hostAddress }),
    callChild: (ctx, name, input, instanceId, retry) => ctx.callSubOrchestrator(name, input, { instanceId, retry }),
    retryPolicy: (attempts) =>
      new RetryPolicy({ maxNumberOfAttempts: attempts, firstRetryIntervalInMilliseconds: 10 }),
  };
} else {
  const { TaskHubGrpcClient, TaskHubGrpcWorker } = require("@dapr/durabletask-js");
  const { whenAll, whenAny } = require("@dapr/durabletask-js/task");
  const { OrchestrationStatus } = require("@dapr/durabletask-js/orchestration/enum/orchestration-status.enum");
  module.exports = {
    OrchestrationStatus,
    whenAll,
    whenAny,
    worker: (hostAddress) => new TaskHubGrpcWorker(hostAddress),
    client: (hostAddress) => new TaskHubGrpcClient(hostAddress),
    callChild: (ctx, name, input, instanceId) => ctx.callSubOrchestrator(name, input, instanceId),
  };
}
