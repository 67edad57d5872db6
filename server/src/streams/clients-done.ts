import { participantPath } from '@quipu/contract'
import { mayTrade } from '../access/caller.ts'
import type { ClientRequests } from '../world/client-requests.ts'
import type { ClientsDone, ClientWait } from '../world/publisher.ts'
import type { Participant } from './participant.ts'
import type { StreamSocket } from './socket.ts'

/** The clients of one world. */
export type Clients = {
  readonly members: ReadonlySet<StreamSocket>
  readonly participants: ReadonlySet<Participant>
  readonly requests: ClientRequests
  /** A client that answers no ping for this time is closed as slow. */
  readonly drainTimeoutMs: number
}

/** The number of messages to and from clients, and of timers. Reports of participants do not count: they end a wait. */
export function activityOf({ members, participants }: Pick<Clients, 'members' | 'participants'>): number {
  let activity = 0
  for (const socket of members) if (!isParticipant(socket)) activity += socket.activity
  for (const { fires } of participants) activity += fires
  return activity
}

/** A replay waits for an acknowledgement without a limit, so not for a client that may change nothing. */
const isExact = ({ acknowledges, caller }: StreamSocket): boolean =>
  acknowledges && caller !== undefined && mayTrade(caller)

const isParticipant = ({ endpoint }: StreamSocket): boolean => endpoint === participantPath

/**
 * Resolves when the clients are done with all messages. Each is asked in the best way that it supports: by its
 * participant, by an acknowledgement, or by several pings in a row without a request or message in between.
 */
export async function clientsDone(clients: Clients, wait: ClientWait): Promise<ClientsDone> {
  const { rounds, stopped } = wait
  const asked = [...clients.members].filter(
    (socket) => !isParticipant(socket) && socket.participant?.isClosed !== false,
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
      ...(others!.length > 0 ? [idleRounds(clients, others!, rounds, stopped)] : []),
    ])
  } finally {
    stopped.removeEventListener('abort', stop)
  }
  const reporting = participants.filter(({ isClosed }) => !isClosed)
  return { exact: reporting.length + acknowledging!.length, bestEffort: others!.length }
}

async function idleRounds(
  clients: Clients,
  asked: readonly StreamSocket[],
  rounds: number,
  stopped: AbortSignal,
): Promise<void> {
  const { requests, drainTimeoutMs } = clients
  const activity = (): number => requests.begun + activityOf(clients)
  const timer = setTimeout(() => {
    for (const socket of asked) if (socket.question.isOpen) socket.closeSlow()
  }, drainTimeoutMs)
  for (let round = 0; round < rounds && !stopped.aborted; round++) {
    const before = activity()
    await Promise.all(asked.map((socket) => socket.ask('ping')))
    await requests.none()
    if (activity() !== before) round = -1
    timer.refresh()
  }
  clearTimeout(timer)
}
