import { sendOutput } from '../send.ts'
import { ANSWERED, type Handled, type RequestStep } from './step.ts'

export const send: RequestStep<Handled> = ({ services }, exchange) => {
  sendOutput(services, exchange, exchange.declared, exchange.output)
  return ANSWERED
}
