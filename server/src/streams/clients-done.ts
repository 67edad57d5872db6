import { mayTrade } from '@quipu/broker/access/caller.ts'
import type { ClientsDone } from '@quipu/broker/world/publisher.ts'
import type {
  ClientActivity,
  ClientRequests,
  ClientWait,
} from '@quipu/broker/world/requests/client-requests.ts'
import { participantPath } from '@quipu/contract'
import type { StreamParticipant } from './participant.ts'
import type { StreamSocket } from './socket.ts'

/** The clients of one world. */
export type Clients = {
  readonly members: ReadonlySet<StreamSocket>
  readonly participants: ReadonlySet<StreamParticipant>
  readonly requests: ClientRequests
  /** A client that answers no ping for this time is closed as slow. */
  readonly drainTimeoutMs: number
}

/** The messages to and from clients, and timers. Reports of participants do not count: they end a wait. */
export function activityOf({
  members,
  participants,
}: Pick<Clients, 'members' | 'participants'>): ClientActivity {
  const activity = { traders: 0, readers: 0 }
  for (const socket of members)
    if (!isParticipant(socket)) activity[isTrader(socket) ? 'traders' : 'readers'] += socket.activity
  for (const { fires } of participants) activity.traders += fires
  return activity
}

const isTrader = ({ caller }: StreamSocket): boolean => caller !== undefined && mayTrade(caller)

/** A replay waits for an acknowledgement without a limit, so not for a client that may change nothing. */
const isExact = (socket: StreamSocket): boolean => socket.client.acknowledges && isTrader(socket)

const isParticipant = ({ client }: StreamSocket): boolean => client.endpoint === participantPath

/**
 * Resolves when the clients are done with all messages. Each is asked in the best way that it supports: by its
 * participant, by an acknowledgement, or by several pings in a row without a request or message in between.
 */
export async function clientsDone(clients: Clients, wait: ClientWait): Promise<ClientsDone> {
  const { stopped } = wait
  const asked = [...clients.members].filter(
    (socket) => !isParticipant(socket) && socket.client.participant?.isClosed !== false,
  )
  const [acknowledging, others] = [true, false].map((one) => asked.filter((it) => isExact(it) === one))
  const participants = [...clients.participants]
  const stop = (): void => {
    for (const participant of participants) participant.wake()
    for (const socket of asked) socket.question.cancel()
  }
  stopped.addEventListener('abort', stop, { once: true })
  try {
    await Promise.all([
      ...participants.map((participant) => participant.done(wait)),
      ...acknowledging!.map((socket) => socket.ask('step')),
      ...(others!.length > 0 ? [idleRounds(clients, others!, wait)] : []),
    ])
  } finally {
    stopped.removeEventListener('abort', stop)
  }
  const reporting = participants.filter(({ isClosed }) => !isClosed)
  return { exact: reporting.length + acknowledging!.length, bestEffort: others!.length }
}

async function idleRounds(clients: Clients, asked: readonly StreamSocket[], wait: ClientWait): Promise<void> {
  const { requests, drainTimeoutMs } = clients
  const activity = (): ClientActivity => requests.with(activityOf(clients))
  const traders = asked.filter(isTrader)
  const closeSlow = (sockets: readonly StreamSocket[]): void => {
    for (const socket of sockets) if (socket.question.isOpen) socket.connection.closeSlow()
  }
  const timer = setTimeout(closeSlow, drainTimeoutMs, asked)
  const readers = traders.length < asked.length ? asked.filter((socket) => !isTrader(socket)) : undefined
  const readersTimer = readers && setTimeout(closeSlow, wait.readersMs, readers)
  for (let round = 0; round < wait.rounds && !wait.stopped.aborted; round++) {
    const before = activity()
    await Promise.all((wait.readersMs > 0 ? asked : traders).map((socket) => socket.ask('ping')))
    await requests.none(wait)
    if (wait.isExtended(before, activity())) round = -1
    timer.refresh()
  }
  clearTimeout(timer)
  clearTimeout(readersTimer)
}
