import { applyToConnection, connectionEffects, type FaultyConnection } from './connection.ts'
import type { Effect, Effects, KindOf } from './effect.ts'
import type { Fault } from './faults.ts'

type MessageKind = KindOf<'message'>

type MessageEffect<One extends MessageKind> = {
  readonly send: <Message>(
    connection: FaultyConnection<Message>,
    message: Message,
    effect: Effect<One>,
  ) => void
  /** The effect of a client order id that names the kind. */
  readonly ofId: Effect<One> | undefined
}

type MessageEffects = { readonly [One in MessageKind]: MessageEffect<One> }

/** The effects on one message of a stream. */
export const messageEffects = {
  duplicate: {
    send(connection, message) {
      connection.send(message)
      connection.send(message)
      sendHeld(connection)
    },
    ofId: { kind: 'duplicate' },
  },
  reorder: { send: hold, ofId: { kind: 'reorder', by: 1, ms: 1000 } },
  drop: { send: sendHeld, ofId: { kind: 'drop' } },
} satisfies MessageEffects

/** Sends a message, with the fault that it meets. */
export function sendMessage<Message>(
  connection: FaultyConnection<Message>,
  message: Message,
  fault: Fault<'message'> | undefined,
): void {
  if (fault === undefined) {
    connection.send(message)
    return sendHeld(connection)
  }
  const { effect, rule } = fault
  if (isOnConnection(effect)) applyToConnection(connection, rule, effect)
  else sendKind(connection, message, effect.kind, effect)
}

/** Whether an effect on connections takes the place of the message. */
const isOnConnection = (
  effect: Effects['message'],
): effect is Exclude<Effects['message'], Effect<MessageKind>> => Object.hasOwn(connectionEffects, effect.kind)

function sendKind<Message, One extends MessageKind>(
  connection: FaultyConnection<Message>,
  message: Message,
  kind: One,
  effect: Effect<One>,
): void {
  const effects: MessageEffects = messageEffects
  effects[kind].send(connection, message, effect)
}

type Held = { readonly send: () => void; left: number }

/** Messages that are sent after later ones, by connection. */
const heldMessages = new WeakMap<object, readonly Held[]>()

function hold<Message>(
  connection: FaultyConnection<Message>,
  message: Message,
  { by, ms }: Effect<'reorder'>,
): void {
  sendHeld(connection)
  const held = { send: () => connection.send(message), left: by }
  heldMessages.set(connection, [...(heldMessages.get(connection) ?? []), held])
  connection.schedule(ms, () => release(connection, held))
}

/** A message was sent: sends the held ones that waited for it. */
function sendHeld(connection: object): void {
  for (const held of heldMessages.get(connection) ?? []) {
    held.left -= 1
    if (held.left === 0) release(connection, held)
  }
}

function release(connection: object, held: Held): void {
  const waiting = heldMessages.get(connection) ?? []
  if (!waiting.includes(held)) return
  heldMessages.set(
    connection,
    waiting.filter((one) => one !== held),
  )
  held.send()
}
