import { ClientDisconnected } from '@quipu/broker/clock/long-work.ts'
import { ConnectionLost } from '@quipu/broker/faults/request.ts'
import { JournalClosed } from '@quipu/broker/journal/journal.ts'
import { NotApplied, type NotAppliedReason } from '@quipu/broker/journal/not-applied.ts'
import { DataUnreadable } from '@quipu/broker/market/store/failures.ts'
import { UpstreamFailed } from '@quipu/broker/market/upstream/failure.ts'
import { WorldNotCreated } from '@quipu/broker/registry/opening/new-durable.ts'
import { OutcomeUnknown } from '@quipu/broker/world/submitted.ts'
import { asOAuthError, operationNamed, sentErrorResponse } from '@quipu/contract'
import { fieldsIn } from '@quipu/core/values'
import { Refused, RefusedAs, refuse } from '../wire/refusal.ts'
import { challengesFor } from './connection/origin.ts'
import type { Exchange } from './exchange.ts'
import { isForApps, loseConnection } from './faults.ts'
import { hintAtRefusal } from './hints.ts'
import { drop, sendResponse } from './send.ts'
import type { Services } from './services.ts'

/** If the error response fails too, only this connection is closed. */
export function respondWithError(services: Services, exchange: Exchange, error: unknown): void {
  try {
    fail(services, exchange, error)
  } catch (second) {
    logBug(services, exchange, second)
    exchange.progress.uncount()
    exchange.request.socket.destroy()
  }
}

const notAppliedCode = {
  queueFull: 'queueFull',
  diskFull: 'diskFull',
  queryTablesBehind: 'queryTablesBehind',
  worldRestarting: 'worldStopped',
  readerStopped: 'readerStopped',
} as const satisfies Record<NotAppliedReason, string>

/** Converts every error to a response. */
function fail(services: Services, exchange: Exchange, error: unknown): void {
  if (exchange.response.headersSent) return logBug(services, exchange, error)
  if (error instanceof Refused) return sendRefusal(services, exchange, error)
  if (error instanceof RefusedAs) {
    exchange.draft.refusal = fieldsIn(error.body)
    const headers = challengesFor(exchange.request, error.headers)
    return sendResponse(services, exchange, error.status, JSON.stringify(error.body), undefined, headers)
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
  exchange.draft.refusal = body
  hintAtRefusal(services, exchange, reason)
  const operation = operationNamed(exchange.operation)
  const sent = operation && isForApps(operation) ? asOAuthError(status, body) : body
  sendResponse(
    services,
    exchange,
    status,
    JSON.stringify(sent),
    undefined,
    challengesFor(exchange.request, headers),
  )
}

function logBug({ log }: Services, { operation, requestId }: Exchange, error: unknown): void {
  const stack = error instanceof Error ? error.stack : String(error)
  log.error('request failed with an internal error', { operation, request: requestId, stack })
}
