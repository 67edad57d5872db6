import type { IncomingMessage, ServerResponse } from 'node:http'
import { recordUse } from '@quipu/broker/access/grant-use.ts'
import { ClientDisconnected } from '@quipu/broker/clock/long-work.ts'
import { JournalClosed } from '@quipu/broker/journal/journal.ts'
import { NotApplied, type NotAppliedReason } from '@quipu/broker/journal/not-applied.ts'
import { DataUnreadable } from '@quipu/broker/market/store/failures.ts'
import { UpstreamFailed } from '@quipu/broker/market/upstream/failure.ts'
import { WorldNotCreated } from '@quipu/broker/registry/new-durable.ts'
import { OutcomeUnknown } from '@quipu/broker/world/engine.ts'
import {
  asOAuthError,
  type Handlers,
  type Input,
  makeRouter,
  type Operation,
  type OperationName,
  operations,
  parseInput,
  problemResponse,
  type RawRequest,
  type Router,
  readQuery,
  sentErrorResponse,
  unservedPaths,
} from '@quipu/contract'
import { Refused, RefusedAs, refuse } from '../wire/refusal.ts'
import { authenticate, hasCredentials, refusalFor, unauthorized } from './auth.ts'
import { awaitsBody, bodyBytes, bodyMax, decodedBody } from './body/body.ts'
import { admitBody, holdRefusal } from './body/body-budget.ts'
import type { Connection } from './connection/connections.ts'
import { corsHeaders, preflightHeaders } from './connection/cors.ts'
import { flavourOf, type HostGuard, hasSeveralHosts } from './connection/host.ts'
import { challengesFor, isCrossSite } from './connection/origin.ts'
import { Context } from './context.ts'
import { drop, Exchange, send, sendOutput } from './exchange.ts'
import {
  ConnectionLost,
  faultOfRequest,
  isForApps,
  isMagic,
  loseConnection,
  magicError,
  type RequestFault,
} from './faults.ts'
import { checkHeaderBytes, shuttingDown } from './forwarding/peer.ts'
import { answerTask } from './forwarding/peer-tasks.ts'
import { forwardByCredential, forwardByName, whileHeld } from './forwarding/route.ts'
import { hintAtRefusal } from './hints.ts'
import { worldOfTokenRequest } from './oauth/token-request.ts'
import { limitRequests, type RequestRates } from './request-rates.ts'
import { type AnyHandler, runHandler } from './run-handler.ts'
import type { Services } from './services.ts'
import { Turns } from './turns.ts'
import { unreadResponses } from './unsent.ts'
import { answerWeb } from './web/answer-web.ts'

/** Answers one request of a connection. */
export type Answerer = (request: IncomingMessage, response: ServerResponse, connection: Connection) => void

/** The parts that all requests share. */
type Pipeline = {
  readonly services: Services
  readonly handlers: Handlers<Context>
  readonly isServed: HostGuard
  readonly route: Router<OperationName>
  readonly rates: RequestRates
  readonly turns: Turns
}

export function makeAnswerer(services: Services, handlers: Handlers<Context>, isServed: HostGuard): Answerer {
  const route = makeRouter(operations, unservedPaths())
  const [rates, turns] = [limitRequests(services), new Turns()]
  const pipeline: Pipeline = { services, handlers, isServed, route, rates, turns }
  return (request, response, connection) => {
    const exchange = new Exchange(request, response, connection)
    if (services.cors !== 'off')
      exchange.extraHeaders.push(...corsHeaders(services.cors, request.headers.origin))
    void run(pipeline, exchange)
  }
}

/**
 * The steps of a request: Host, route, caller, rate, permission, body, input, fault, turn, handler, answer. A step that
 * refuses the request throws, and `fail` answers. Never rejects.
 */
async function run(pipeline: Pipeline, exchange: Exchange): Promise<void> {
  const { services, handlers } = pipeline
  let fault: RequestFault | undefined
  try {
    const target = routeRequest(pipeline, exchange)
    if (target === undefined) return
    if (target instanceof Promise) return await target
    const operation: Operation = operations[target.name]
    exchange.operation = target.name
    const { cluster } = services
    if (cluster && (await forwardByCredential(services, cluster, exchange, operation))) return
    const context = whileHeld(cluster, exchange, () => authorize(pipeline, exchange, operation))
    if (cluster && (await forwardByName(services, cluster, exchange, operation, target.params))) return
    if (context.requests && operation.family !== 'sim') exchange.countIn(context.requests)
    const maxBytes = bodyMax(services.limits, operation)
    if (operation.body !== undefined && awaitsBody(exchange.request, maxBytes)) {
      const count = await admitBody(services, exchange, operation, maxBytes)
      const bytes = exchange.body ?? bodyBytes(exchange, maxBytes, count)
      const read = bytes instanceof Promise ? await bytes : bytes
      exchange.bodyBytes = read.length
      context.body = decodedBody(read, operation)
    }
    const input = inputOf(exchange, operation, target.params, context.body)
    fault = faultOf(exchange, context, operation, input)
    if (fault !== undefined) await fault.before()
    exchange.work()
    const turn = turnOf(pipeline, exchange, target.params)
    if (turn !== undefined) await turn
    const handler = handlers[target.name] as AnyHandler
    const output = await runHandler(exchange, context, { ...target, operation, handler, input })
    if (fault !== undefined) await fault.after()
    sendOutput(services, exchange, operation, output)
  } catch (error) {
    const answered = fault === undefined ? magicError(exchange, error) : await fault.errorFor(error)
    await holdRefusal(services, exchange)
    answerError(services, exchange, answered)
  }
}

/** The fault that a request meets. Requests of apps for tokens have no caller, but belong to a world. */
function faultOf(
  exchange: Exchange,
  context: Context,
  operation: Operation,
  input: Input,
): RequestFault | undefined {
  const world =
    context.world ?? (operation.family === 'oauth' ? worldOfTokenRequest(input, context) : undefined)
  if (world === undefined || (world.faults === undefined && !isMagic(input))) return undefined
  const fault = faultOfRequest(world, exchange, operation, input)
  // The request log of the world names the rule.
  if (fault !== undefined) context.world = world
  return fault
}

/** If the error response fails too, only this connection is closed. */
function answerError(services: Services, exchange: Exchange, error: unknown): void {
  try {
    fail(services, exchange, error)
  } catch (second) {
    logBug(services, exchange, second)
    exchange.uncount()
    exchange.request.socket.destroy()
  }
}

/** The promise to wait for before the handler begins: the turn of the request's world, if it has a world. */
function turnOf(
  { turns }: Pipeline,
  { context, startedMs, connection }: Exchange,
  params: RawRequest['params'],
): Promise<void> | undefined {
  const world = params['world'] ?? context?.world?.id
  return world === undefined ? undefined : turns.wait(world, startedMs, connection)
}

/** The input of the handler; refuses input that does not match the shapes of the operation. */
function inputOf(
  { query, request }: Exchange,
  operation: Operation,
  params: RawRequest['params'],
  body: unknown,
): Input {
  const rawRequest = { params, query: readQuery(query), headers: request.headers, body }
  const { input, problems } = parseInput(operation, rawRequest)
  if (problems.length === 0) return input
  const { status, body: errorBody } = problemResponse(operation.family, problems)
  throw new RefusedAs(status, errorBody)
}

type Target = { readonly name: OperationName; readonly params: RawRequest['params'] }

/** The operation of a request. OPTIONS and files of the dashboard are answered here. */
function routeRequest(
  { services, isServed, route }: Pipeline,
  exchange: Exchange,
): Target | Promise<void> | undefined {
  const { request, path } = exchange
  const { host } = request.headers
  if (services.cluster) checkHeaderBytes(request, services.limits.headerMaxBytes)
  if (!path.startsWith('/')) throw refuse({ code: 'badRequest' })
  if (host === undefined && request.httpVersion === '1.1') throw refuse({ code: 'badRequest' })
  if (hasSeveralHosts(request)) throw refuse({ code: 'severalHosts' })
  if (host !== undefined && !isServed(host)) throw refuse({ code: 'hostNotAllowed', host })
  if (services.serverState.phase === 'stopping') throw shuttingDown(request)
  if (isCrossSite(request, services)) throw refuse({ code: 'crossSite' })
  if (services.unsent.isFull) throw unreadResponses()
  const method = request.method ?? 'GET'
  const routing = route(method, path)
  if (routing.kind === 'found' && isOn(services, routing.name)) return routing
  if (routing.kind === 'notFound' || routing.kind === 'found') {
    const answered = answerTask(services, exchange) ?? answerWeb(services, exchange)
    if (answered !== undefined) return answered
    throw refuse({ code: 'endpointNotFound' })
  }
  if (routing.kind === 'notDecodable') throw refuse({ code: 'pathNotDecodable' })
  const allowed = routing.allowed.join(', ')
  const allow = ['Allow', `${allowed}, OPTIONS`]
  if (method !== 'OPTIONS') throw refuse({ code: 'methodNotAllowed', method, allowed }, allow)
  exchange.extraHeaders.push(...preflightHeaders(services.cors, request.headers))
  send(services, exchange, 204, undefined, undefined, allow)
  return undefined
}

/** Checks credentials, rate limit and permission, and returns the context of the request. */
function authorize({ services, rates }: Pipeline, exchange: Exchange, operation: Operation): Context {
  const { request, requestId } = exchange
  const flavour = flavourOf(request.headers.host)
  const isOpen = operation.who.includes('anyone')
  const { operation: name } = exchange
  // An open operation with a second kind of caller checks credentials but does not require them.
  const caller = isOpen && operation.who.length === 1 ? undefined : authenticate(services, exchange, flavour)
  const context = new Context({ services, request, requestId, operation: name, caller, flavour })
  exchange.context = context
  exchange.credentialId = caller?.credentialId
  const isVisit = caller === undefined && operation.who.includes('visitor') && !hasCredentials(request)
  if (caller === undefined && !isVisit && !isOpen) throw unauthorized(operation, request.headers)
  if (isVisit) context.world = services.worlds.main
  const allowance = rates(operation, caller, request)
  if (allowance !== undefined) exchange.rateHeaders = allowance.headers
  if (allowance?.allowed === false) throw refuse({ code: 'tooManyRequests' })
  if (isOpen) return context
  const refusal = caller && refusalFor(name as OperationName, caller, request.headers)
  if (refusal !== undefined) throw refusal
  if (caller !== undefined) recordUse(caller, services.worlds.keyUses, () => context.cause)
  return context
}

/** A setting disables the operations for worlds and clocks; reading, keys and the audit stay. */
function isOn({ sim }: Services, name: OperationName): boolean {
  const operation: Operation = operations[name]
  return sim || !operation.needsSim
}

const notAppliedCode = {
  queueFull: 'queueFull',
  diskFull: 'diskFull',
  viewsBehind: 'viewsBehind',
  worldRestarting: 'worldStopped',
  readerStopped: 'readerStopped',
} as const satisfies Record<NotAppliedReason, string>

/** Converts every error to a response. */
function fail(services: Services, exchange: Exchange, error: unknown): void {
  if (exchange.response.headersSent) return logBug(services, exchange, error)
  if (error instanceof Refused) return sendRefusal(services, exchange, error)
  if (error instanceof RefusedAs) {
    exchange.refusal = error.body as Exchange['refusal']
    const headers = challengesFor(exchange.request, error.headers)
    return send(services, exchange, error.status, JSON.stringify(error.body), undefined, headers)
  }
  if (error instanceof NotApplied || error instanceof JournalClosed) {
    // A journal closes just before its world stops, so a read in between gets the error of a restart.
    const reason = error instanceof NotApplied ? error.reason : 'worldRestarting'
    return sendRefusal(services, exchange, refuse({ code: notAppliedCode[reason] }, ['Retry-After', '1']))
  }
  if (error instanceof WorldNotCreated)
    return sendRefusal(services, exchange, refuse({ code: error.reason, world: error.world }))
  if (error instanceof UpstreamFailed) {
    const { problem, retryAfterSeconds } = error
    const headers = ['Retry-After', String(retryAfterSeconds)]
    return sendRefusal(services, exchange, refuse({ code: 'upstreamUnavailable', problem }, headers))
  }
  if (error instanceof DataUnreadable) {
    const { message: problem } = error
    services.log.error('imported data cannot be read', { problem })
    return sendRefusal(services, exchange, refuse({ code: 'dataUnreadable', problem }, ['Retry-After', '1']))
  }
  if (error instanceof ClientDisconnected) return drop(services, exchange)
  if (error instanceof OutcomeUnknown) {
    // Any status would claim an outcome; a closed connection does not.
    exchange.request.socket.destroy()
    return drop(services, exchange)
  }
  if (error instanceof ConnectionLost) {
    loseConnection(exchange.request.socket, error)
    return drop(services, exchange)
  }
  logBug(services, exchange, error)
  sendRefusal(services, exchange, refuse({ code: 'internal' }))
}

function sendRefusal(services: Services, exchange: Exchange, { reason, headers }: Refused): void {
  const { status, body } = sentErrorResponse(reason.code, reason)
  exchange.refusal = body
  hintAtRefusal(services, exchange, reason)
  const operation: Operation | undefined = operations[exchange.operation as OperationName]
  const sent = operation && isForApps(operation) ? asOAuthError(status, body) : body
  send(services, exchange, status, JSON.stringify(sent), undefined, challengesFor(exchange.request, headers))
}

function logBug({ log }: Services, { operation, requestId }: Exchange, error: unknown): void {
  const stack = error instanceof Error ? error.stack : String(error)
  log.error('request failed with an internal error', { operation, request: requestId, stack })
}
