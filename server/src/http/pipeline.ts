import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Handlers, makeRouter, operations, unservedPaths } from '@quipu/contract'
import { itemAt } from '@quipu/core/values'
import { holdRefusal } from './body/body-budget.ts'
import type { HttpConnection } from './connection/connections.ts'
import { corsHeaders } from './connection/cors.ts'
import type { HostGuard } from './connection/host.ts'
import type { Context } from './context.ts'
import type { Exchange } from './exchange.ts'
import { respondWithError } from './fail.ts'
import { magicError } from './faults.ts'
import type { Services } from './services.ts'
import { body } from './steps/body.ts'
import { caller } from './steps/caller.ts'
import { fault } from './steps/fault.ts'
import { firstUse } from './steps/first-use.ts'
import { handle } from './steps/handle.ts'
import { holder } from './steps/holder.ts'
import { host } from './steps/host.ts'
import { input } from './steps/input.ts'
import { permission } from './steps/permission.ts'
import { limitRequests, rate } from './steps/rate.ts'
import { route } from './steps/route.ts'
import { send } from './steps/send.ts'
import { ANSWERED, type RequestStep, type Shared, SteppedExchange } from './steps/step.ts'
import { turn } from './steps/turn.ts'
import { Turns } from './turns.ts'

/** Steps, of which each gets what the steps before it have added. */
class Line<At> {
  readonly steps: readonly RequestStep<never, unknown>[]

  constructor(steps: readonly RequestStep<never, unknown>[] = []) {
    this.steps = steps
  }

  next<Added>(step: RequestStep<At, Added>): Line<Added extends object ? At & Added : At> {
    return new Line([...this.steps, step as RequestStep<never, unknown>])
  }
}

/** The steps of a request, in this order. */
export const steps = new Line<Exchange>()
  .next(host)
  .next(route)
  .next(holder)
  .next(caller)
  .next(rate)
  .next(permission)
  .next(body)
  .next(input)
  .next(fault)
  .next(turn)
  .next(firstUse)
  .next(handle)
  .next(send).steps

/** Responds to one request of a connection. */
export type Responder = (
  request: IncomingMessage,
  response: ServerResponse,
  connection: HttpConnection,
) => void

export function makeResponder(
  services: Services,
  handlers: Handlers<Context>,
  isServed: HostGuard,
): Responder {
  const route = makeRouter(operations, unservedPaths())
  const [rates, turns] = [limitRequests(services), new Turns()]
  const shared: Shared = { services, handlers, isServed, route, rates, turns }
  return (request, response, connection) => {
    const exchange = new SteppedExchange(request, response, connection)
    if (services.settings.cors !== 'off')
      exchange.draft.headers.push(...corsHeaders(services.settings.cors, request.headers.origin))
    void run(shared, exchange)
  }
}

/** Runs the steps. An error of one becomes the response. Never rejects. */
async function run(shared: Shared, exchange: SteppedExchange): Promise<void> {
  try {
    // By index: in an async function, `for of` allocates an iterator result for each step.
    for (let at = 0; at < steps.length; at++) {
      const result = itemAt(steps, at)(shared, exchange as never)
      if ((result instanceof Promise ? await result : result) === ANSWERED) return
    }
  } catch (error) {
    const { fault: met } = exchange
    const failure = met === undefined ? magicError(exchange, error) : await met.errorFor(error)
    await holdRefusal(shared.services, exchange)
    respondWithError(shared.services, exchange, failure)
  }
}
