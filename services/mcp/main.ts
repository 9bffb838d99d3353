// PROCESS 4: the MCP server. Alone it communicates on standard input and output with the editor that started it. Under
// the supervisor it serves Streamable HTTP on a loopback address. Only the boot order is here. Its configuration is its
// own copy, which a front end's reload does not change (MCP-03).

import type { Logger } from '#shared/base/logger.ts';
import { version } from '#shared/base/version.ts';
import type { ProcessServices } from '#shared/engine/exchange/process-services.ts';
import { heldAnswers } from '#shared/engine/faults/held-answers.ts';
import { isSharedBetweenProcesses } from '#shared/model/runtime-store/store-location.ts';
import { openProcessServices } from '#shared/process/worker/open-process-services.ts';
import { type BootWorker, runUnderSupervisor } from '#shared/process/worker/run-worker.ts';
import { CallsInFlight, withinGrace } from './calls-in-flight.ts';
import { DraftConfiguration } from './draft-configuration.ts';
import { createMcpEndpoint, mcpPath } from './http-endpoint.ts';
import { claimStandardOutput } from './protocol-output.ts';
import type { McpServerOptions } from './server.ts';
import { tools } from './tools/index.ts';

export const bootMcp: BootWorker = async (worker) => {
  const alone = worker.start.stack === undefined;
  // Before anything else is loaded: output of a plugin must not reach the protocol's stream.
  const output = alone ? claimStandardOutput() : undefined;
  const { services, close } = await openProcessServices(worker, { ownCopy: true });
  const calls = new CallsInFlight();
  const held = heldAnswers();
  const options: McpServerOptions = {
    version,
    log: services.log,
    isByItself: alone && worker.start.configDirectory === undefined,
    caller: {
      tools,
      readonly: worker.start.readonly ?? readonlyOf(process.env.IDP_MCP_READONLY, services.log),
      calls,
      context: {
        ...services,
        sharesStore: !alone || sharesFile(services),
        wait: held.wait,
        draft: new DraftConfiguration(services.configuration.inForce()),
      },
    },
  };
  if (output === undefined) {
    const { streamableHttp } = await import('./streamable-http.ts');
    const endpoint = createMcpEndpoint(streamableHttp(options), services.log);
    await worker.listen(endpoint, { host: '127.0.0.1', port: worker.start.port ?? 0 }, services.log);
    return {
      path: mcpPath,
      drain() {
        held.end();
        return withinGrace(calls.settled());
      },
      close,
    };
  }
  const { serveStreams } = await import('./stdio-connection.ts');
  const connection = serveStreams(process.stdin, output, options);
  let isReadToItsEnd = false;
  void connection.ended.then(() => {
    isReadToItsEnd = true;
    worker.stop();
  });
  return {
    async drain() {
      // A client that wrote all of its requests and closed the pipe still waits for the responses.
      if (!isReadToItsEnd) held.end();
      connection.stopReading();
      await withinGrace(calls.settled().then(() => connection.flushed()));
    },
    async close(millisecondsLeft) {
      await connection.close();
      await close(millisecondsLeft);
    },
  };
};

/** Alone and on the memory store, no other process has this store. */
function sharesFile({ configuration }: Pick<ProcessServices, 'configuration'>): boolean {
  return isSharedBetweenProcesses({ kind: configuration.inForce().settings.runtime.store });
}

/**
 * `true`, `1` or `yes` in any case (MCP-12). Another value must not make the operator believe that the server is
 * read-only.
 */
function readonlyOf(value = '', log: Logger): boolean {
  const word = value.toLowerCase();
  if (['true', '1', 'yes'].includes(word)) return true;
  if (!['', 'false', '0', 'no'].includes(word)) {
    log.warn(
      'IDP_MCP_READONLY has an unknown value, so this server is not read-only. Write true, 1 or yes for read-only, else false, 0 or no',
    );
  }
  return false;
}

void runUnderSupervisor('mcp', bootMcp);
