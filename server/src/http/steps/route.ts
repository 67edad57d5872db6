import { type Operation, type OperationName, operations } from '@quipu/contract'
import { refuse } from '../../wire/refusal.ts'
import { preflightHeaders } from '../connection/cors.ts'
import type { Exchange } from '../exchange.ts'
import { answerTask } from '../forwarding/peer-tasks.ts'
import { sendResponse } from '../send.ts'
import type { Services } from '../services.ts'
import { answerWeb } from '../web/web-response.ts'
import { ANSWERED, type RequestStep, type Routed } from './step.ts'

/** Finds the operation. OPTIONS, files of the dashboard and tasks of other nodes are answered here. */
export const route: RequestStep<Exchange, Pick<Routed, 'operation' | 'declared' | 'params'>> = (
  { services, route: find },
  exchange,
) => {
  const { request, url } = exchange
  const method = request.method ?? 'GET'
  const routing = find(method, url.path)
  if (routing.kind === 'found' && isOn(services, routing.name)) {
    exchange.operation = routing.name
    exchange.declared = operations[routing.name]
    exchange.params = routing.params
    return
  }
  if (routing.kind === 'notFound' || routing.kind === 'found') {
    const answered = answerTask(services, exchange) ?? answerWeb(services, exchange)
    if (answered !== undefined) return answered.then(() => ANSWERED)
    throw refuse({ code: 'endpointNotFound' })
  }
  if (routing.kind === 'notDecodable') throw refuse({ code: 'pathNotDecodable' })
  const allowed = routing.allowed.join(', ')
  const allow = ['Allow', `${allowed}, OPTIONS`]
  if (method !== 'OPTIONS') throw refuse({ code: 'methodNotAllowed', method, allowed }, allow)
  exchange.draft.headers.push(...preflightHeaders(services.settings.cors, request.headers))
  sendResponse(services, exchange, 204, undefined, undefined, allow)
  return ANSWERED
}

/** A setting disables the operations for worlds and clocks; reading, keys and the audit stay. */
function isOn({ settings }: Services, name: OperationName): boolean {
  const operation: Operation = operations[name]
  return settings.sim || !operation.needsSim
}
