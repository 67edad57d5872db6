import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { usedUpHeaders } from '@quipu/broker/access/rate-limits.ts'
import { authenticationFault } from '@quipu/broker/faults/connection.ts'
import type { Effect } from '@quipu/broker/faults/effect.ts'
import type { Fault, Faults } from '@quipu/broker/faults/faults.ts'
import { effectOfSymbol, MAGIC_ID, MAGIC_SYMBOL, ruleOfId } from '@quipu/broker/faults/magic.ts'
import { marketFault } from '@quipu/broker/faults/market.ts'
import type { RequestFacts } from '@quipu/broker/faults/match.ts'
import {
  type ConnectionLost,
  planOf,
  type RequestFaultKind,
  type RequestPlan,
  statusEffect,
} from '@quipu/broker/faults/request.ts'
import type { World } from '@quipu/broker/world/world.ts'
import { faultsOf } from '@quipu/broker/world/world-faults.ts'
import {
  asOAuthError,
  type ErrorName,
  type Family,
  faultStatuses,
  type Input,
  type Operation,
  operationNamed,
  operations,
  sentErrorResponse,
} from '@quipu/contract'
import { fieldsIn, missing } from '@quipu/core/values'
import { Refused, RefusedAs, refuse } from '../wire/refusal.ts'
import { unauthorized } from './auth.ts'
import { EVENTS, isEventStream } from './connection/open-sockets.ts'
import { resetConnection } from './connection/reset-connection.ts'
import type { Exchange } from './exchange.ts'
import { CLIENT_CHALLENGE, oauthError } from './oauth/client.ts'
import { eventStreamsFull } from './reading/readers.ts'

/** The families that rules affect. An operator must always be able to delete the rules. */
export const affectedFamilies: ReadonlySet<string> = new Set([
  'trading',
  'data',
  'broker',
  'oauth',
  'tokenization',
] satisfies Family[])

/** The fault that a request meets in a world with rules. */
export function faultOfRequest(
  world: World,
  exchange: Exchange,
  operation: Operation,
  input: Input,
): RequestFault | undefined {
  if (!affectedFamilies.has(operation.family) || isPreview(operation)) return undefined
  if (isMagic(input)) createMagicRule(world, exchange, input)
  if (world.clients.faults === undefined || world.clients.faults.size === 0) return undefined
  const facts = {
    now: () => world.clock.now(),
    operation: [exchange.operation, operation.family],
    accountId: accountOf(exchange, input),
    symbols: symbolsOf(input),
    clientOrderId: textOf(input, 'client_order_id'),
  }
  const { faults } = world.clients
  const fault =
    faults.meet('request', facts) ??
    (operation.family === 'data' ? marketFault(faults, facts) : undefined) ??
    refusedStream(faults, exchange, operation, facts)
  return fault && new RequestFault({ ...fault, id: String(fault.rule.number) }, exchange, operation)
}

/** A preview changes nothing, so it neither creates a rule nor counts for one. */
const isPreview = ({ output }: Operation): boolean => output === operations.previewOrder.output

/** Whether the body has a client order id that creates a rule. */
export const isMagic = ({ body }: Input): boolean => {
  const id = fieldsIn(body)['client_order_id']
  return typeof id === 'string' && id.startsWith(MAGIC_ID)
}

/** Creates the rule of a client order id; refuses an id that names no fault. */
function createMagicRule(world: World, exchange: Exchange, input: Input): void {
  const { services } = exchange.context ?? missing('the context')
  if (!services.settings.sim) return
  const id = textOf(input, 'client_order_id') ?? missing('the client order id')
  const rule = ruleOfId(id, accountOf(exchange, input) ?? '', faultStatuses)
  const problem = `client_order_id: "${id.slice(0, 60)}" names no fault; ${MAGIC_ID} is reserved`
  if (rule === undefined) throw refuse({ code: 'invalidParameter', problem })
  const { faultsMax } = services.limits
  if (!faultsOf(world).createAutomatic(rule, world.clock.now(), faultsMax))
    throw refuse({ code: 'faultLimitReached', limit: faultsMax })
}

/** The error of a request that names an unknown symbol such as FAULT.429; else the error of the handler. */
export function magicError(exchange: Exchange, error: unknown): unknown {
  if (!(error instanceof Refused) || exchange.context?.services.settings.sim !== true) return error
  const { symbol } = error.reason
  if (typeof symbol !== 'string' || !symbol.startsWith(MAGIC_SYMBOL)) return error
  const effect = effectOfSymbol(symbol, faultStatuses)
  const operation = operationNamed(exchange.operation)
  if (effect === undefined || operation === undefined) return error
  const fault = new RequestFault({ id: symbol, effect, draw: 0 }, exchange, operation)
  exchange.fault = fault
  return fault.error
}

/** The refusal of right credentials of an event stream. */
function refusedStream(
  faults: Faults,
  { context }: Exchange,
  operation: Operation,
  { now, accountId }: RequestFacts,
): (Fault<'request'> & { readonly error?: Error }) | undefined {
  if (!isEventStream(operation)) return undefined
  const facts = { now, accountId, stream: [EVENTS, operation.path], isNamedOnly: true }
  const fault = authenticationFault(faults, facts)
  if (fault === undefined) return undefined
  if (fault.refusal === 'wrongCredentials') return { ...fault, effect: statusEffect(401) }
  return { ...fault, effect: statusEffect(503), error: eventStreamsFull(context ?? missing('the context')) }
}

type FaultParts = {
  readonly id: string
  readonly effect: Effect<RequestFaultKind>
  readonly draw: number
  /** The error of a status, if not the usual one. */
  readonly error?: Error
}

/** A fault and the request that it affects. Its steps wait, or throw the error that replaces the response. */
export class RequestFault {
  /** The rule, for the log. */
  readonly id: string
  readonly #plan: RequestPlan
  readonly #exchange: Exchange
  readonly #operation: Operation
  readonly #error: Error | undefined
  #isApplied = false

  constructor({ id, effect, draw, error }: FaultParts, exchange: Exchange, operation: Operation) {
    this.#plan = planOf(effect, draw)
    this.#exchange = exchange
    this.#operation = operation
    this.#error = error
    this.id = id
    exchange.draft.headers.push('X-Quipu-Fault', id)
  }

  /** Whether only half of the body is sent. */
  get truncates(): boolean {
    return this.#plan.truncates
  }

  /** Whether the request was late in the network: it is applied although its client may have given up. */
  get isLate(): boolean {
    return this.#plan.isLate && this.#exchange.request.method !== 'GET'
  }

  /** Before the request is applied. */
  async before(): Promise<void> {
    if (!this.#plan.isAfter) await this.#apply()
  }

  /** After the request is applied. */
  async after(): Promise<void> {
    this.#isApplied = true
    if (this.#plan.isAfter) await this.#apply()
  }

  /** The error to answer in place of an error of the handler: a refused request also meets its fault. */
  async errorFor(error: unknown): Promise<unknown> {
    if (this.#isApplied || !this.#plan.isAfter) return error
    return this.after().then(
      () => error,
      (met: unknown) => met,
    )
  }

  /** The error that replaces the response; undefined if the effect is none. */
  get error(): Error | undefined {
    return this.#plan.error((effect) => this.#error ?? this.#statusError(effect))
  }

  async #apply(): Promise<void> {
    const { error } = this
    if (error !== undefined) throw error
    const { waitMs } = this.#plan
    if (waitMs !== undefined) await sleep(waitMs, undefined, { ref: false })
  }

  /** The error of the protocol for a status, with its headers. */
  #statusError({ status, retryAfterSeconds, message }: Effect<'status'>): Error {
    const { request, context } = this.#exchange
    const forApps = isForApps(this.#operation)
    if (status === 401 && forApps) return oauthError('invalid_client', message, CLIENT_CHALLENGE)
    if (status === 401 && message === undefined) return unauthorized(this.#operation, request.headers)
    if (status === 429)
      this.#exchange.draft.rateHeaders = usedUpHeaders(
        (context ?? missing('the context')).services.limits.rateLimit,
        retryAfterSeconds,
      )
    const code = errorOf[status] ?? 'internal'
    const headers = status === 503 ? ['Retry-After', String(retryAfterSeconds)] : []
    if (message === undefined) return refuse({ code }, headers)
    const body = { ...sentErrorResponse(code).body, message }
    return new RefusedAs(status, forApps ? asOAuthError(status, body) : body, headers)
  }
}

/** Whether errors have the fields of RFC 6749. */
export const isForApps = ({ family, raw }: Operation): boolean => family === 'oauth' && raw === undefined

const errorOf: Readonly<Record<number, ErrorName>> = {
  400: 'badRequest',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'endpointNotFound',
  408: 'requestTimeout',
  429: 'tooManyRequests',
  500: 'internal',
  502: 'faultBadGateway',
  503: 'faultUnavailable',
  504: 'faultGatewayTimeout',
}

/** Ends a connection as its fault demands. */
export function loseConnection(socket: Socket, { withReset }: ConnectionLost): void {
  if (withReset) resetConnection(socket)
  else socket.destroy()
}

/** The account that calls, or that a partner acts for. */
function accountOf({ context }: Exchange, input: Input): string | undefined {
  const caller = context?.caller
  return caller?.kind === 'account' ? caller.accountId : textOf(input, 'account_id')
}

/** A field of a request, wherever the operation expects it. */
function textOf({ params, query, body }: Input, field: string): string | undefined {
  for (const part of [params, query, body]) {
    const value = fieldsIn(part)[field]
    if (typeof value === 'string') return value
  }
  return undefined
}

function symbolsOf(input: Input): readonly string[] {
  const { symbols } = fieldsIn(input.query)
  if (Array.isArray(symbols)) return symbols
  const one =
    textOf(input, 'symbol') ?? textOf(input, 'symbol_or_asset_id') ?? textOf(input, 'underlying_symbol')
  return one === undefined ? [] : [one]
}
