import { EventStream } from '../event-stream.ts'
import { FileStream } from '../file-stream.ts'
import { Page, Prebuilt, PrebuiltOnce } from '../prebuilt.ts'
import { sendFile, sendResponse, sendStream } from '../send.ts'
import { ANSWERED, type Handled, type RequestStep } from './step.ts'

/** Sends the output of the handler in the format that the operation declares. */
export const send: RequestStep<Handled> = ({ services }, exchange) => {
  const { declared, output } = exchange
  if (output instanceof EventStream)
    sendStream(services, exchange, output.continuedBy(exchange.continueEvents))
  else if (output instanceof FileStream) sendFile(services, exchange, declared, output)
  else if (output instanceof Page) {
    exchange.draft.cacheControl = output.cacheControl
    sendResponse(services, exchange, output.status, output.body, declared.raw, output.headers)
  } else if (declared.raw !== undefined)
    sendResponse(services, exchange, declared.status, output as string | Uint8Array, declared.raw)
  else if (output === undefined) sendResponse(services, exchange, declared.status, undefined)
  else if (output instanceof Prebuilt) {
    sendResponse(services, exchange, declared.status, output.body, output.type)
    if (output instanceof PrebuiltOnce) output.freeOnceSent(exchange)
  } else sendResponse(services, exchange, declared.status, JSON.stringify(output))
  return ANSWERED
}
