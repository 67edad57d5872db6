import { delayMs, type Effect, type KindOf, type KindOnMessage } from './effect.ts'
import type { Fault, Faults } from './faults.ts'
import type { RequestFacts } from './match.ts'
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
type Source = Pick<FaultRule, 'isDeleted' | 'nextDraw'>

type ConnectionKind = KindOf<'connection'>

type ConnectionEffect<One extends ConnectionKind> = {
  readonly apply: <Message>(connection: FaultyConnection<Message>, effect: Effect<One>, rule: Source) => void
  /** The effect in place of a message, of a client order id that names the kind. */
  readonly ofId: One extends KindOnMessage ? Effect<One> : undefined
  /** The symbol `FAULT.<word>` has the effect on the stream that subscribes to it. */
  readonly symbol: string | undefined
}

type ConnectionEffects = { readonly [One in ConnectionKind]: ConnectionEffect<One> }

/** The effects on a connection of a stream, from some moment on. */
export const connectionEffects = {
  close: {
    apply: (connection, { code, message }) => connection.closeWith(code, message),
    ofId: { kind: 'close', code: 1001, message: '' },
    symbol: 'CLOSE',
  },
  silence: {
    apply(connection, { ms }, rule) {
      connection.fault = silent(connection, rule)
      const { fault } = connection
      if (ms !== undefined)
        connection.schedule(ms, () => {
          if (connection.fault === fault) connection.fault = undefined
        })
    },
    ofId: { kind: 'silence' },
    symbol: 'SILENCE',
  },
  halfOpen: {
    apply(connection) {
      connection.fault = { send: () => undefined, isMute: true }
      connection.ignoreClient()
    },
    ofId: { kind: 'halfOpen' },
    symbol: 'HALFOPEN',
  },
  slow: {
    apply(connection, effect, rule) {
      connection.fault = new SlowConnection(connection, rule, effect)
    },
    ofId: undefined,
    symbol: undefined,
  },
} satisfies ConnectionEffects

export const applyToConnection = <Message>(
  connection: FaultyConnection<Message>,
  rule: Source,
  effect: Effect<ConnectionKind>,
): void => applyKind(connection, rule, effect.kind, effect)

function applyKind<Message, One extends ConnectionKind>(
  connection: FaultyConnection<Message>,
  rule: Source,
  kind: One,
  effect: Effect<One>,
): void {
  const effects: ConnectionEffects = connectionEffects
  effects[kind].apply(connection, effect, rule)
}

/** Applies the rules on connections to one that has authenticated, or only a new rule to one that is open. */
export function meetConnection<Message>(
  faults: Faults | undefined,
  connection: FaultyConnection<Message>,
  facts: RequestFacts,
  created?: FaultRule,
): void {
  const fault = faults?.meet('connection', facts, created)
  if (fault) applyToConnection(connection, fault.rule, fault.effect)
}

/** Whether a lost subscription is acknowledged. */
type LostSubscription = { readonly isAcknowledged: boolean }

const subscriptionEffects = {
  lostSubscription: ({ acknowledged }) => ({ isAcknowledged: acknowledged }),
} satisfies { readonly [One in KindOf<'subscription'>]: (effect: Effect<One>) => LostSubscription }

/** How a subscription is lost, if a rule demands it. */
export function subscriptionFault(
  faults: Faults | undefined,
  facts: RequestFacts,
): LostSubscription | undefined {
  const effect = faults?.meet('subscription', facts)?.effect
  return effect && subscriptionEffects[effect.kind](effect)
}

/** The error with which right credentials are refused. */
type Refusal = 'wrongCredentials' | 'connectionLimit'

const authenticationEffects = {
  refusedAuthentication: ({ as }) => (as === 'wrong_credentials' ? 'wrongCredentials' : 'connectionLimit'),
} satisfies { readonly [One in KindOf<'authentication'>]: (effect: Effect<One>) => Refusal }

/** The refusal of right credentials, if a rule demands one. */
export function authenticationFault(
  faults: Faults | undefined,
  facts: RequestFacts,
): (Fault<'authentication'> & { readonly refusal: Refusal }) | undefined {
  const fault = faults?.meet('authentication', facts)
  return fault && { ...fault, refusal: authenticationEffects[fault.effect.kind](fault.effect) }
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

type Slow = Effect<'slow'>

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
