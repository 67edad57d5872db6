import { type AnyHandler, runHandler } from '../run-handler.ts'
import type { Faulted, Handled, RequestStep } from './step.ts'

/** Runs the handler of the operation. */
export const handle: RequestStep<Faulted, Pick<Handled, 'output'>> = async ({ handlers }, exchange) => {
  const { operation: name, declared, params, input, context, fault } = exchange
  const handler = handlers[name] as AnyHandler
  const output = await runHandler(exchange, context, { name, operation: declared, params, handler, input })
  if (fault !== undefined) await fault.after()
  return { output }
}
