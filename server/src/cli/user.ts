import { readFileSync } from 'node:fs'
import { type Command, type Context, UsageError } from './command.ts'
import { present } from './given.ts'
import { columns, counted, recordLines } from './output.ts'

const which = { name: 'USER', about: 'Their name or id.' } as const
const passwordFile = {
  placeholder: 'FILE',
  about: 'Holds the password, 12 to 256 characters without the name in them; `-` is standard input.',
} as const
const yesNo = (about: string) => ({ placeholder: 'yes|no', about })

export const userCommands: readonly Command[] = [
  {
    name: 'user list',
    about: 'Lists the people of a world.',
    operations: ['listUsers'],
    example: 'quipu user list',
    run: async ({ operator, config: { world }, json, say }) => {
      const users = await operator().listUsers({ params: { world } })
      const rows = users.map(({ user_id, name, accounts, sessions, ...user }) => [
        user_id,
        counted(accounts.length, 'account'),
        counted(sessions, 'session'),
        user.disabled ? 'disabled' : user.operator ? 'operator' : '-',
        name,
      ])
      say(json ? JSON.stringify(users) : columns(rows).join('\n'))
      return 0
    },
  },
  {
    name: 'user show',
    about: 'Shows a person, their accounts and where they are signed in.',
    arguments: [which],
    operations: ['getUser', 'listUserSessions'],
    example: 'quipu user show owner',
    run: async (context) => {
      const user = await context.operator().getUser(ofUser(context))
      const sessions = await context.operator().listUserSessions(ofUser(context))
      return shown(context, { ...user, sessions })
    },
  },
  {
    name: 'user create',
    about: 'Adds a person who signs in by name and password; a password that is made is shown, once.',
    arguments: [{ name: 'NAME', about: 'What they sign in with; case does not count.' }],
    flags: {
      'password-file': { ...passwordFile, about: `${passwordFile.about} One is made when left out.` },
      operator: yesNo('Whether they may steer every world; no when left out.'),
      paper: { about: 'Opens a paper account for them.' },
      live: { about: 'Opens a live account for them.' },
      cash: {
        placeholder: 'USD',
        about: "What an account opened here begins with; the world's own, when left out.",
      },
      accounts: { placeholder: 'ID,…', about: 'Accounts that become theirs.' },
    },
    operations: ['createUser'],
    example: 'quipu user create ana --paper --cash 25000',
    run: async (context) => {
      const { operator, config, given } = context
      const opened = (['paper', 'live'] as const).filter((flavour) => given.has(flavour))
      const body = {
        name: given.get('NAME')!,
        operator: given.has('operator'),
        accounts: opened.map((flavour) => ({ flavour, ...present({ cash: given.get('cash') }) })),
        ...present({
          operator: truthOf(context, 'operator'),
          password: passwordOf(context),
          account_ids: idsOf(given.get('accounts')),
        }),
      }
      const params = { world: config.world }
      return shown(context, await operator().createUser({ params, body }))
    },
  },
  {
    name: 'user change',
    about: 'Changes what is named. A new password, or being disabled, signs them out everywhere.',
    arguments: [which],
    flags: {
      name: { placeholder: 'NAME', about: 'What they sign in with from then on.' },
      'password-file': passwordFile,
      operator: yesNo('Whether they may steer every world.'),
      disabled: yesNo('Whether they are kept out, with all apps that act for them.'),
      accounts: { placeholder: 'ID,…|none', about: 'All accounts they are to have.' },
    },
    operations: ['changeUser'],
    example: 'quipu user change ana --disabled yes',
    run: async (context) => {
      const { operator, given } = context
      const body = present({
        name: given.get('name'),
        password: passwordOf(context),
        operator: truthOf(context, 'operator'),
        disabled: truthOf(context, 'disabled'),
        account_ids: idsOf(given.get('accounts')),
      })
      return shown(context, await operator().changeUser({ ...ofUser(context), body }))
    },
  },
  {
    name: 'user delete',
    about: 'Removes a person who has no open accounts.',
    arguments: [which],
    operations: ['deleteUser'],
    example: 'quipu user delete ana',
    run: async (context) => {
      await context.operator().deleteUser(ofUser(context))
      return told(context, { deleted: true }, 'is removed')
    },
  },
  {
    name: 'user link',
    about: 'Makes an address that signs a person in, once, within an hour.',
    arguments: [which],
    operations: ['createSignInLink'],
    example: 'quipu user link owner',
    run: async (context) => {
      const { operator, json, say } = context
      const link = await operator().createSignInLink({ ...ofUser(context), body: {} })
      say(json ? JSON.stringify(link) : link.url)
      return 0
    },
  },
  {
    name: 'user sign-out',
    about: 'Signs a person out everywhere, or out of one browser.',
    arguments: [which],
    flags: { session: { placeholder: 'ID', about: 'The only one to end, as `user show` tells it.' } },
    operations: ['endUserSessions'],
    example: 'quipu user sign-out ana',
    run: async (context) => {
      const query = present({ session_id: context.given.get('session') })
      await context.operator().endUserSessions({ ...ofUser(context), query })
      return told(context, { signed_out: true }, 'is signed out')
    },
  },
]

const ofUser = ({ config: { world }, given }: Context) => ({ params: { world, user: given.get('USER')! } })

/** A word on the command line would be seen by everyone on the machine, so a password comes from a file. */
function passwordOf({ given }: Context): string | undefined {
  const file = given.get('password-file')
  if (file === undefined) return undefined
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw new UsageError(`--password-file ${file}: ${(error as Error).message}`)
  }
}

function truthOf({ given }: Context, flag: string): boolean | undefined {
  const word = given.get(flag)
  if (word === undefined) return undefined
  if (word !== 'yes' && word !== 'no')
    throw new UsageError(`--${flag}: expected yes or no, received ${JSON.stringify(word)}`)
  return word === 'yes'
}

const idsOf = (text: string | undefined): readonly string[] | undefined =>
  text === 'none' ? [] : text?.split(',').map((id) => id.trim())

function told({ given, json, say }: Context, done: object, words: string): 0 {
  const user = given.get('USER')!
  say(json ? JSON.stringify({ user, ...done }) : `${user} ${words}`)
  return 0
}

function shown({ json, say }: Context, record: object): 0 {
  say(json ? JSON.stringify(record) : recordLines(record as Record<string, unknown>).join('\n'))
  return 0
}
