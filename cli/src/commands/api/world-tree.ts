import type { WorldRecord } from '@quipu/contract'
import { calling } from '../call.ts'
import type { CliCommand } from '../command.ts'
import { type Column, printList, printText, utc } from '../output.ts'

const worldArgument = { name: 'NAME', about: 'Name of the world.', field: 'world' } as const

/** Worlds as a tree of forks. */
export const listWorldsCommand: CliCommand = calling('listWorlds', {
  name: 'world list',
  about: 'List all worlds, each fork below its parent.',
  example: 'quipu world list',
  print: (context, worlds) =>
    context.json ? printText(context, worlds) : printList(context, treeOf(worlds), treeTable, 'no worlds'),
})

/** The texts that describe a world. */
export const worldTextCommands: readonly CliCommand[] = [
  calling('updateWorld', {
    name: 'world rename',
    about:
      'Set the title of a world. Its name, keys and addresses stay. A temporary fork is kept from then on.',
    arguments: [worldArgument, { name: 'TITLE', about: 'At most 60 characters; an empty one removes it.' }],
    example: 'quipu world rename friday-b with-stops',
  }),
  calling('updateWorld', {
    name: 'world note',
    about: 'Set the note of a world. A temporary fork is kept from then on.',
    arguments: [
      worldArgument,
      { name: 'TEXT', about: 'At most 500 characters; an empty one removes it.', field: 'note' },
    ],
    example: 'quipu world note friday-b no-dip-buys',
  }),
]

/** A world and its place in the tree: `├─ `, `│  └─ `. */
type Branch = { readonly world: WorldRecord; readonly lead: string }

/** Parents before their forks, in the order of the list. A fork of a deleted world is a root. */
export function treeOf(worlds: readonly WorldRecord[]): readonly Branch[] {
  const names = new Set(worlds.map(({ world }) => world))
  const forksOf = (name: string) => worlds.filter(({ parent }) => parent === name)
  const below = (name: string, lead: string): readonly Branch[] =>
    forksOf(name).flatMap((world, index, { length }) => {
      const isLast = index === length - 1
      return [
        { world, lead: `${lead}${isLast ? '└─ ' : '├─ '}` },
        ...below(world.world, `${lead}${isLast ? '   ' : '│  '}`),
      ]
    })
  return worlds
    .filter(({ parent }) => parent === undefined || !names.has(parent))
    .flatMap((world) => [{ world, lead: '' }, ...below(world.world, '')])
}

const NOTE_MIN = 12

const treeTable: readonly Column<Branch>[] = [
  ['WORLD', ({ lead, world }) => `${lead}${world.world}`],
  ['CLOCK', ({ world: { clock, frozen } }) => `${clock}${frozen ? ', frozen' : ''}`],
  ['NOW (UTC)', ({ world: { now } }) => utc(now)],
  ['EVENTS', ({ world: { seq } }) => seq, 'right'],
  ['ACCOUNTS', ({ world: { accounts } }) => accounts.length, 'right'],
  ['TITLE', ({ world: { title } }) => title, NOTE_MIN],
  ['NOTE', ({ world }) => noteOf(world), NOTE_MIN],
]

const noteOf = ({ note, expires_at }: WorldRecord): string | undefined =>
  expires_at === undefined ? note : `unused, deleted at ${utc(expires_at)} UTC`
