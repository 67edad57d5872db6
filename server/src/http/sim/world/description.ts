import type { World } from '@quipu/broker/world/world.ts'
import type { InputOf } from '@quipu/contract'
import { definedFields, type WorldDescription } from '@quipu/core'

type Texts = Pick<WorldDescription, 'title' | 'note'>

/** An empty text is none. */
export const textsAsSet = ({ title, note }: Texts): WorldDescription =>
  definedFields({ title: title || undefined, note: note || undefined })

/** The description of a new fork. */
export const newDescription = (
  { title, note, temporary }: InputOf<'forkWorld'>['body'],
  keptMs: number,
): WorldDescription => ({
  ...textsAsSet({ title, note }),
  ...(temporary && { expiresAtMs: Date.now() + keptMs }),
})

export async function describe(world: World, description: WorldDescription): Promise<void> {
  await world.commands.submit({ kind: 'describeWorld', ...description }, () => undefined)
}
