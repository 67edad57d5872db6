import { parseInput, problemResponse, readQuery } from '@quipu/contract'
import { RefusedAs } from '../../wire/refusal.ts'
import type { Called, ParsedInput, RequestStep } from './step.ts'

/** Refuses input that does not match the shapes of the operation. */
export const input: RequestStep<Called, Pick<ParsedInput, 'input'>> = (_, exchange) => {
  const { url, request, params, declared, context } = exchange
  const raw = { params, query: readQuery(url.query), headers: request.headers, body: context.body }
  const parsed = parseInput(declared, raw)
  if (parsed.problems.length === 0) return { input: parsed.input }
  const { status, body } = problemResponse(declared.family, parsed.problems)
  throw new RefusedAs(status, body)
}
