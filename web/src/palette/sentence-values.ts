import { readSentence } from './read-sentence.ts'
import { sentenceText, valueSpans } from './sentence.ts'

/** A text, and the part of it that is selected. */
export type Selected = { readonly text: string; readonly from: number; readonly to: number }

/** The next value of a complete sentence after a position, with the defaults written out; undefined without a value. */
export function valueAfter(typed: string, position: number, isBack: boolean): Selected | undefined {
  const read = readSentence(typed)
  if (read?.kind !== 'complete') return undefined
  const text = sentenceText(read.sentence)
  const spans = valueSpans(text)
  if (spans.length === 0) return undefined
  // Another text has other positions, so its first value is next.
  const at = text === typed ? spans.findIndex(([, to]) => to >= position) : -1
  const step =
    at < 0 ? (isBack ? spans.length - 1 : 0) : at + (isBack ? -1 : isInside(spans[at]!, position) ? 1 : 0)
  const [from, to] = spans[(step + spans.length) % spans.length]!
  return { text, from, to }
}

const isInside = ([from, to]: readonly [number, number], position: number): boolean =>
  from <= position && position <= to
