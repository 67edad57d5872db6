import { parseInput, problemResponse, readQuery } from '@quipu/contract'
import { RefusedAs } from '../../wire/refusal.ts'
import { decodedBody } from '../body/body.ts'
import type { Called, ParsedInput, RequestStep } from './step.ts'

/** Decodes the body, and refuses input that does not match the shapes of the operation. */
export const input: RequestStep<Called, Pick<ParsedInput, 'input'>> = (_, exchange) => {
  const { url, request, params, declared, context, body } = exchange
  if (body !== undefined) context.body = decodedBody(body, declared)
  const raw = { params, query: readQuery(url.query), headers: request.headers, body: context.body }
  const parsed = parseInput(declared, raw)
  if (parsed.problems.length === 0) {
    exchange.input = parsed.input
    return
  }
  const { status, body: problems } = problemResponse(declared.family, parsed.problems)
  throw new RefusedAs(status, problems)
}
