import { readFileSync } from 'node:fs'
import type { OutputOf } from '@quipu/contract'
import { definedFields } from '@quipu/core/values'
import { type Command, type Context, UsageError } from '../command.ts'
import { type Column, printList, printRecord, utc } from '../output.ts'

const which = { name: 'USER', about: 'User name or id.' } as const
const passwordFile = {
  placeholder: 'FILE',
  about: 'File with the password (12 to 256 characters, without the name); `-` is standard input.',
} as const
const yesNo = (about: string) => ({ placeholder: 'yes|no', about })

export const userCommands: readonly Command[] = [
  {
    name: 'user list',
    about: 'List the users of a world.',
    operations: ['listUsers'],
    example: 'quipu user list',
    run: async (context) => {
      const users = await context.operator().listUsers({ params: { world: context.config.world } })
      return printList(context, users, userTable, 'no users')
    },
  },
  {
    name: 'user show',
    about: 'Show a user with accounts and sessions.',
    arguments: [which],
    operations: ['getUser', 'listUserSessions'],
    example: 'quipu user show owner',
    run: async (context) => {
      const user = await context.operator().getUser(ofUser(context))
      const sessions = await context.operator().listUserSessions(ofUser(context))
      return printRecord(context, { ...user, sessions })
    },
  },
  {
    name: 'user create',
    about: 'Create a user who signs in with name and password. A generated password is shown once.',
    arguments: [{ name: 'NAME', about: 'Name to sign in with. Upper and lower case are the same.' }],
    flags: {
      'password-file': { ...passwordFile, about: `${passwordFile.about} Default: a generated one.` },
      operator: yesNo('Let the user control every world. Default: no.'),
      paper: { about: 'Also create a paper account.' },
      live: { about: 'Also create a live account.' },
      cash: {
        placeholder: 'USD',
        about: 'Starting cash of a created account. Default: the starting cash of the world.',
      },
      accounts: { placeholder: 'ID,…', about: 'Existing accounts to give to the user.' },
    },
    operations: ['createUser'],
    example: 'quipu user create ana --paper --cash 25000',
    run: async (context) => {
      const { operator, config, args } = context
      const opened = (['paper', 'live'] as const).filter((flavour) => args.has(flavour))
      const body = {
        name: args.get('NAME')!,
        operator: args.has('operator'),
        accounts: opened.map((flavour) => ({ flavour, ...definedFields({ cash: args.get('cash') }) })),
        ...definedFields({
          operator: truthOf(context, 'operator'),
          password: passwordOf(context),
          account_ids: idsOf(args.get('accounts')),
        }),
      }
      const params = { world: config.world }
      return printRecord(context, await operator().createUser({ params, body }))
    },
  },
  {
    name: 'user update',
    about: 'Update the given fields. A new password, or disabling, signs the user out everywhere.',
    arguments: [which],
    flags: {
      name: { placeholder: 'NAME', about: 'New name to sign in with.' },
      'password-file': passwordFile,
      operator: yesNo('Let the user control every world.'),
      disabled: yesNo('Refuse the user and all apps that act for them.'),
      accounts: { placeholder: 'ID,…|none', about: 'All accounts of the user.' },
    },
    operations: ['changeUser'],
    example: 'quipu user update ana --disabled yes',
    run: async (context) => {
      const { operator, args } = context
      const body = definedFields({
        name: args.get('name'),
        password: passwordOf(context),
        operator: truthOf(context, 'operator'),
        disabled: truthOf(context, 'disabled'),
        account_ids: idsOf(args.get('accounts')),
      })
      return printRecord(context, await operator().changeUser({ ...ofUser(context), body }))
    },
  },
  {
    name: 'user delete',
    about: 'Delete a user without open accounts.',
    arguments: [which],
    operations: ['deleteUser'],
    example: 'quipu user delete ana',
    run: async (context) => {
      await context.operator().deleteUser(ofUser(context))
      return printDone(context, { deleted: true }, 'is deleted')
    },
  },
  {
    name: 'user link',
    about: 'Create a link that signs a user in, once, within an hour.',
    arguments: [which],
    operations: ['createSignInLink'],
    example: 'quipu user link owner',
    run: async (context) => {
      const { operator, json, print } = context
      const link = await operator().createSignInLink({ ...ofUser(context), body: {} })
      print(json ? JSON.stringify(link) : link.url)
      return 0
    },
  },
  {
    name: 'user sign-out',
    about: 'Sign a user out everywhere, or out of one browser.',
    arguments: [which],
    flags: {
      session: { placeholder: 'ID', about: 'End this session only; the id is in `quipu user show`.' },
    },
    operations: ['endUserSessions'],
    example: 'quipu user sign-out ana',
    run: async (context) => {
      const query = definedFields({ session_id: context.args.get('session') })
      await context.operator().endUserSessions({ ...ofUser(context), query })
      return printDone(context, { signed_out: true }, 'is signed out')
    },
  },
]

const userTable: readonly Column<OutputOf<'listUsers'>[number]>[] = [
  ['ID', ({ user_id: id }) => id],
  ['NAME', ({ name }) => name, 12],
  ['ROLE', ({ disabled, operator }) => (disabled ? 'disabled' : operator ? 'operator' : 'user')],
  ['ACCOUNTS', ({ accounts }) => accounts.length, 'right'],
  ['SESSIONS', ({ sessions }) => sessions, 'right'],
]

const ofUser = ({ config: { world }, args }: Context) => ({ params: { world, user: args.get('USER')! } })

/** Arguments are visible to everyone on the machine, so a password is read from a file. */
function passwordOf({ args }: Context): string | undefined {
  const file = args.get('password-file')
  if (file === undefined) return undefined
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw new UsageError(`--password-file ${file}: ${(error as Error).message}`)
  }
}

function truthOf({ args }: Context, flag: string): boolean | undefined {
  const word = args.get(flag)
  if (word === undefined) return undefined
  if (word !== 'yes' && word !== 'no')
    throw new UsageError(`--${flag}: expected yes or no, received ${JSON.stringify(word)}`)
  return word === 'yes'
}

const idsOf = (text: string | undefined): readonly string[] | undefined =>
  text === 'none' ? [] : text?.split(',').map((id) => id.trim())

function printDone({ args, json, print }: Context, done: object, words: string): 0 {
  const user = args.get('USER')!
  print(json ? JSON.stringify({ user, ...done }) : `${user} ${words}`)
  return 0
}

export const partnerCommands: readonly Command[] = [
  {
    name: 'partner list',
    about: 'List the partners of a world.',
    operations: ['listPartners'],
    example: 'quipu partner list',
    run: async (context) => {
      const partners = await context.operator().listPartners({ params: { world: context.config.world } })
      return printList(context, partners, partnerTable, 'no partners')
    },
  },
  {
    name: 'partner create',
    about: 'Create a partner with a key. The secret is shown once. A partner sees the accounts it opens.',
    arguments: [{ name: 'NAME', about: 'Name of the partner.' }],
    operations: ['createPartner'],
    example: 'quipu partner create Acme',
    run: async (context) => {
      const body = { name: context.args.get('NAME')! }
      const params = { world: context.config.world }
      return printRecord(context, await context.operator().createPartner({ params, body }))
    },
  },
]

const partnerTable: readonly Column<OutputOf<'listPartners'>[number]>[] = [
  ['ID', ({ partner_id: id }) => id],
  ['NAME', ({ name }) => name, 12],
  ['ACCOUNTS', ({ accounts }) => accounts, 'right'],
  ['CREATED (UTC)', ({ created_at: at }) => utc(at)?.slice(0, 16)],
]
