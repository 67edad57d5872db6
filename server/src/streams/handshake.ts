import type { IncomingMessage } from 'node:http'
import { acknowledgeParameter, dataStreams, tradeUpdatesPath } from '@quipu/contract'
import type { FrameCodec } from './frame.ts'
import type { FeedName } from './hub.ts'

// What the path, the query and the headers of a handshake say.

/** The feed of each stream; a stream without a feed sends no data. */
export const feeds: Readonly<Record<string, FeedName>> = {
  [dataStreams.sip.path]: 'live',
  [dataStreams.iex.path]: 'live',
  [dataStreams.delayed_sip.path]: 'delayed',
  [dataStreams.test.path]: 'test',
  [dataStreams.crypto.path]: 'crypto',
}

/** The path without query and without a slash at the end. */
export function streamEndpoint(url = ''): string {
  const path = url.split('?', 1)[0]!
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

/** Whether the query of the handshake says that the client acknowledges steps. */
export const acknowledges = ({ url = '' }: IncomingMessage): boolean =>
  new URLSearchParams(url.split('?', 2)[1] ?? '').get(acknowledgeParameter) === 'true'

/** Chosen once in the handshake. Trade updates are JSON in binary frames, except for browsers. */
export function frameCodecOf({ headers }: IncomingMessage, endpoint: string): FrameCodec {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (type === 'application/msgpack') return 'messagePack'
  return endpoint === tradeUpdatesPath && headers.origin === undefined ? 'jsonInBinary' : 'jsonInText'
}
