import { type ConnectionEffect, delayMs } from './effect.ts'
import type { Fault } from './faults.ts'
import type { FaultRule } from './rule.ts'

/** A fault of a connection: takes over the sending of messages. */
export type ConnectionFault<Message> = {
  readonly send: (message: Message) => void
  /** Nothing is sent to keep the connection alive. */
  readonly isMute: boolean
}

/** The parts of a connection that faults change. */
export type FaultyConnection<Message> = {
  fault: ConnectionFault<Message> | undefined
  /** Maximum of unsent bytes. */
  readonly bytesMax: number
  send(message: Message): void
  /** Sends although the connection has a fault. */
  sendNow(message: Message): void
  bytesOf(message: Message): number
  schedule(ms: number, run: () => void): void
  closeWith(code: number, reason: string): void
  closeSlow(): void
  /** Drops everything that the client sends, close frames included. */
  ignoreClient(): void
}

/** The parts of a rule that a lasting effect uses. */
export type Source = Pick<FaultRule, 'isDeleted' | 'nextDraw'>

/** Sends a message, with the fault that it meets. */
export function sendMessage<Message>(
  connection: FaultyConnection<Message>,
  message: Message,
  fault: Fault<'message'> | undefined,
): void {
  const effect = fault?.effect
  switch (effect?.kind) {
    case undefined:
      connection.send(message)
      break
    case 'duplicate':
      connection.send(message)
      connection.send(message)
      break
    case 'drop':
      break
    case 'reorder':
      return hold(connection, message, effect)
    default:
      return applyToConnection(connection, fault!.rule, effect!)
  }
  sendHeld(connection)
}

export function applyToConnection<Message>(
  connection: FaultyConnection<Message>,
  rule: Source,
  effect: ConnectionEffect,
): void {
  switch (effect.kind) {
    case 'close':
      return connection.closeWith(effect.code, effect.message)
    case 'silence': {
      connection.fault = silent(connection, rule)
      const { fault } = connection
      if (effect.ms !== undefined)
        connection.schedule(effect.ms, () => {
          if (connection.fault === fault) connection.fault = undefined
        })
      return
    }
    case 'halfOpen':
      connection.fault = { send: () => undefined, isMute: true }
      return connection.ignoreClient()
    case 'slow':
      connection.fault = new SlowConnection(connection, rule, effect)
      return
  }
}

/** Drops all messages until the rule is deleted. */
const silent = <Message>(connection: FaultyConnection<Message>, rule: Source): ConnectionFault<Message> => ({
  isMute: false,
  send: (message) => {
    if (!rule.isDeleted) return
    connection.fault = undefined
    connection.sendNow(message)
  },
})

type Slow = ConnectionEffect & { readonly kind: 'slow' }

/** Delays all messages and keeps their order. Its queue has the limit of a client that reads too slowly. */
class SlowConnection<Message> implements ConnectionFault<Message> {
  readonly isMute = false
  readonly #connection: FaultyConnection<Message>
  readonly #rule: Source
  readonly #effect: Slow
  readonly #waiting: { readonly message: Message; readonly dueMs: number }[] = []
  #bytes = 0
  #lastDueMs = 0

  constructor(connection: FaultyConnection<Message>, rule: Source, effect: Slow) {
    this.#connection = connection
    this.#rule = rule
    this.#effect = effect
  }

  readonly send = (message: Message): void => {
    this.#bytes += this.#connection.bytesOf(message)
    if (this.#bytes > this.#connection.bytesMax) return this.#connection.closeSlow()
    const delay = this.#rule.isDeleted ? 0 : delayMs(this.#effect, this.#rule.nextDraw())
    this.#lastDueMs = Math.max(this.#lastDueMs, performance.now() + delay)
    this.#waiting.push({ message, dueMs: this.#lastDueMs })
    if (this.#waiting.length === 1) this.#schedule()
  }

  #schedule(): void {
    const [next] = this.#waiting
    if (next) this.#connection.schedule(Math.max(0, next.dueMs - performance.now()), () => this.#sendDue())
    else if (this.#rule.isDeleted) this.#connection.fault = undefined
  }

  #sendDue(): void {
    const nowMs = performance.now()
    while (this.#waiting.length > 0 && this.#waiting[0]!.dueMs <= nowMs) {
      const { message } = this.#waiting.shift()!
      this.#bytes -= this.#connection.bytesOf(message)
      this.#connection.sendNow(message)
    }
    this.#schedule()
  }
}

type Held = { readonly send: () => void; left: number }

/** Messages that are sent after later ones, by connection. */
const heldMessages = new WeakMap<object, readonly Held[]>()

function hold<Message>(
  connection: FaultyConnection<Message>,
  message: Message,
  { by, ms }: { readonly by: number; readonly ms: number },
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
