import { problemText } from '../../format/problem-text.ts'
import type { Reading } from '../../live/reading.ts'
import { toast } from '../../parts/toasts.tsx'

/** Does something, then reads the lists that it changed. A refusal also stays in the list, as the old state. */
export async function act(
  run: () => Promise<unknown>,
  ...changed: readonly Reading<unknown>[]
): Promise<void> {
  try {
    await run()
  } catch (error) {
    toast(problemText(error as Error))
  }
  await Promise.all(changed.map((one) => one.read()))
}
