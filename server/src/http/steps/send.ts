import { sendOutput } from '../send.ts'
import { ANSWERED, type Handled, type Step } from './step.ts'

export const send: Step<Handled> = ({ services }, exchange) => {
  sendOutput(services, exchange, exchange.declared, exchange.output)
  return ANSWERED
}
