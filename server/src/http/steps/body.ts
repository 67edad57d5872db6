import { checkEncoding, hasBody, readBody } from '../body/body.ts'
import type { Called, RequestStep } from './step.ts'

/** Reads the body, if the operation has one and the request too. */
export const body: RequestStep<Called> = ({ services }, exchange) => {
  const { declared, request } = exchange
  if (declared.body === undefined || !hasBody(request)) return undefined
  checkEncoding(request)
  return readBody(services, exchange)
}
