import { VirtualClock } from '@quipu/broker/clock/virtual.ts'
import type { Feed, News } from '@quipu/broker/market/feed.ts'
import type { World } from '@quipu/broker/world/world.ts'
import { participantPath, tradeUpdatesPath } from '@quipu/contract'
import type { Foreseen, ForeseenStream, StreamParticipant } from './participant.ts'
import type { StreamSocket } from './socket.ts'

export type ForeseeParts = {
  readonly world: World
  readonly members: ReadonlySet<StreamSocket>
  readonly participants: ReadonlySet<StreamParticipant>
  readonly feeds: Iterable<Feed<StreamSocket>>
  /** The frame of news, which the hub sends again later. */
  readonly frameOf: (news: News, socket: StreamSocket) => Buffer | undefined
}

/**
 * Finds the messages of the next minutes. Only for a participant that covers all clients of the world with one stream of
 * market data: then nothing but the program can change what happens until the next timer of another kind.
 */
export async function foresee(parts: ForeseeParts, max: number): Promise<ForeseenStream | undefined> {
  const { world, feeds, frameOf } = parts
  const socket = onlyStream(parts)
  const marks = socket && world.clock instanceof VirtualClock ? world.clock.nextAlone() : undefined
  if (!socket || !marks || world.clients.faults) return undefined
  const messages: Foreseen[] = []
  for (const feed of feeds)
    for (const { at, news } of (await feed.ahead?.({ ...marks, max })) ?? [])
      for (const one of news) {
        const frame = frameOf(one, socket)
        if (frame) messages.push({ at, frame })
      }
  return messages.length > 0 ? { stream: socket.client.participantStream, messages } : undefined
}

function onlyStream({ members, participants }: ForeseeParts): StreamSocket | undefined {
  const [participant] = participants
  const sockets = [...members].filter(({ client }) => client.endpoint !== participantPath)
  const isCovered = sockets.every(
    (one) => one.client.participant === participant && one.connection.fault === undefined,
  )
  if (participants.size !== 1 || !isCovered) return undefined
  const [stream, ...others] = sockets.filter(({ client }) => client.endpoint !== tradeUpdatesPath)
  return others.length === 0 ? stream : undefined
}
