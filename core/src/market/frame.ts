import { fail, ok, type Result } from '../result.ts'

/** The span of a bar. */
export type Frame =
  | { readonly unit: 'minute'; readonly count: number }
  | { readonly unit: 'hour'; readonly count: number }
  | { readonly unit: 'day'; readonly count: 1 }
  | { readonly unit: 'week'; readonly count: 1 }
  | { readonly unit: 'month'; readonly count: number }

const GRAMMAR: readonly (readonly [RegExp, Frame['unit']])[] = [
  [/^([1-9]|[1-5][0-9])(?:Min|T)$/, 'minute'],
  [/^([1-9]|1[0-9]|2[0-3])(?:Hour|H)$/, 'hour'],
  [/^(1)(?:Day|D)$/, 'day'],
  [/^(1)(?:Week|W)$/, 'week'],
  [/^(1|2|3|4|6|12)(?:Month|M)$/, 'month'],
]

/** `5Min`, `1Hour`, `1Day`, `1Week`, `3Month` and their short forms `5T 1H 1D 1W 3M`; case matters. */
export function parseFrame(text: string): Result<Frame, 'notAFrame'> {
  for (const [pattern, unit] of GRAMMAR) {
    const match = pattern.exec(text)
    if (match) return ok({ unit, count: Number(match[1]) } as Frame)
  }
  return fail('notAFrame')
}
