import { type BookTransferResponse, decode, encode, type WorldId } from '@quipu/core'
import type { AskWorld, WorldRequest } from '../registry/ask-world.ts'
import { askNode, type Tasks } from './ask-node.ts'

/** Longer than a world takes to store a response. The same request gets the same response, so it may be repeated. */
const RESPONSE_MS = 10_000

/** Asks a world of another node to receive a book transfer. */
export async function askHolder(
  secret: string,
  address: string,
  world: WorldId,
  request: WorldRequest,
): Promise<BookTransferResponse> {
  const asking = { address, secret, timeoutMs: RESPONSE_MS }
  const answered = await askNode(asking, 'receive', { world, request: encode(request) })
  return decode((answered as Received).response) as BookTransferResponse
}

type Received = { readonly response: string }

/** What a world on this node responds. It fails if this node does not hold the world. */
export async function receiveHere(
  receive: AskWorld,
  { world, request }: Tasks['receive'],
): Promise<Received> {
  return { response: encode(await receive(world, decode(request) as WorldRequest)) }
}
