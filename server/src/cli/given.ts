import { type Context, UsageError } from './command.ts'

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** The record without what was not given. */
export const present = <T extends object>(record: T): Present<T> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as Present<T>

/** A flag whose value is a whole number. Throws UsageError. */
export function wholeIn({ given }: Pick<Context, 'given'>, flag: string): number | undefined {
  const text = given.get(flag)
  if (text === undefined || /^\d{1,9}$/.test(text)) return text === undefined ? undefined : Number(text)
  throw new UsageError(`--${flag}: expected a whole number, received ${JSON.stringify(text)}`)
}
