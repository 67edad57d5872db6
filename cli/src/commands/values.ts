import { readFileSync } from 'node:fs'
import { errorMessage } from '@quipu/core/values'
import { namedValues } from '@quipu/server/config/named-values.ts'
import { UsageError } from './command.ts'

/** The values of flags: from the text of a flag to the field of a request. All throw UsageError. */

export function wholeNumberValue(text: string, flag: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new UsageError(`--${flag}: expected a whole number, received ${JSON.stringify(text)}`)
}

/** `none` is null. */
export function secondsOrNone(text: string, flag: string): number | null {
  if (text === 'none') return null
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new UsageError(`--${flag}: expected seconds or none, received ${JSON.stringify(text)}`)
}

export function yesOrNo(text: string, flag: string): boolean {
  if (text === 'yes' || text === 'no') return text === 'yes'
  throw new UsageError(`--${flag}: expected yes or no, received ${JSON.stringify(text)}`)
}

/** The message names the words: `bars, trades or quotes`. */
export const oneOfWords =
  (...words: readonly string[]) =>
  (text: string, flag: string): string => {
    if (words.includes(text)) return text
    const expected = words.join(', ').replace(/, (?=[^,]*$)/, ' or ')
    throw new UsageError(`--${flag}: expected ${expected}, received ${text}`)
  }

export const commaSeparated = (text: string): readonly string[] => text.split(',')

/** Named settings, such as `reject_share=0.05,latency=50ms..2s:long_tail`. */
export function namedSettings(text: string, flag: string): Readonly<Record<string, unknown>> {
  const named = namedValues(text)
  if (named.ok) return named.value
  throw new UsageError(`--${flag}: expected ${named.reason}, received ${JSON.stringify(text)}`)
}

/** The content of a file. */
export function fileContent(file: string, flag: string, source: string | number = file): string {
  try {
    return readFileSync(source, 'utf8')
  } catch (error) {
    throw new UsageError(`--${flag} ${file}: ${errorMessage(error)}`)
  }
}
