import { type Context, UsageError } from './command.ts'

/** The whole number of a flag. Throws UsageError. */
export function wholeNumberIn({ args }: Pick<Context, 'args'>, flag: string): number | undefined {
  const text = args.get(flag)
  if (text === undefined || /^\d{1,9}$/.test(text)) return text === undefined ? undefined : Number(text)
  throw new UsageError(`--${flag}: expected a whole number, received ${JSON.stringify(text)}`)
}
