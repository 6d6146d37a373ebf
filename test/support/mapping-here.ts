import { MessageChannel } from 'node:worker_threads';
import type { StartMappingThread } from '../../api-server/ingestion/mapping-thread/map-runner.ts';
import { serveMapping } from '../../api-server/ingestion/mapping-thread/serve-mapping.ts';

/** Mapping on the thread of the tests, over a real channel: a thread of its own loads its modules anew. */
export const mappingOnThisThread: StartMappingThread = ({ onMessage, onEnd }) => {
  const { port1, port2 } = new MessageChannel();
  const ended = new Promise<void>((resolve) => port1.once('close', resolve));
  port1.on('message', onMessage).on('close', () => onEnd(undefined));
  serveMapping(port2);
  return { post: (message) => port1.postMessage(message), ended, terminate: () => Promise.resolve(port1.close()) };
};
