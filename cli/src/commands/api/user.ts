import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { RECOVERY_HEADER, recoveryFile } from '@quipu/broker/data-folder/recovery-file.ts'
import type { OutputOf } from '@quipu/contract'
import { definedFields, entryIn } from '@quipu/core/values'
import { calling } from '../call.ts'
import type { CliCommand } from '../command.ts'
import { localFolder } from '../find-server.ts'
import { type Column, done, printList, printRecord, printText, utc } from '../output.ts'
import { fileContent, yesOrNo } from '../values.ts'

const which = { name: 'USER', about: 'User name or id.' } as const
/** Arguments are visible to everyone on the machine, so a password is read from a file. */
const passwordFile = {
  placeholder: 'FILE',
  about: 'File with the password (12 to 256 characters, without the name); `-` is standard input.',
  field: 'password',
  value: (file: string, flag: string) =>
    fileContent(file, flag, file === '-' ? 0 : file).replace(/\r?\n$/, ''),
} as const
const truth = (about: string) => ({ placeholder: 'yes|no', about, value: yesOrNo })
const idsOf = (text: string): readonly string[] =>
  text === 'none' ? [] : text.split(',').map((id) => id.trim())

/**
 * Recovery. The server refuses it from elsewhere, so that a stolen operator key cannot remove a second factor: a new file in
 * the data folder proves that the command runs on its machine.
 */
const resetCommand: CliCommand = {
  name: 'user reset-second-factors',
  about:
    'Remove all passkeys and the authenticator app of a user who lost them, and sign the user out. Works only on the machine of the server.',
  arguments: [which],
  operations: ['resetSecondFactors'],
  example: 'quipu user reset-second-factors ana',
  run: async (context) => {
    const { operator, config, args } = context
    const name = randomBytes(16).toString('hex')
    const file = recoveryFile(localFolder(config, 'user reset-second-factors'), name)
    const params = { world: config.world, user: entryIn(args, 'USER') }
    writeFileSync(file, '', { mode: 0o600, flag: 'wx' })
    try {
      await operator().resetSecondFactors({ params, headers: { [RECOVERY_HEADER]: name } })
    } finally {
      rmSync(file, { force: true })
    }
    return done('USER', 'reset')(context)
  },
}

export const userCommands: readonly CliCommand[] = [
  calling('listUsers', {
    name: 'user list',
    about: 'List the users of a world.',
    example: 'quipu user list',
    print: (context, users) => printList(context, users, userTable, 'no users'),
  }),
  calling('getUser', {
    name: 'user show',
    about: 'Show a user with accounts and sessions.',
    arguments: [which],
    alsoCalls: ['listUserSessions'],
    example: 'quipu user show owner',
    print: async (context, user, request) => {
      const sessions = await context.operator().listUserSessions(request)
      return printRecord(context, { ...user, sessions })
    },
  }),
  calling('createUser', {
    name: 'user create',
    about: 'Create a user who signs in with name and password. A generated password is shown once.',
    arguments: [{ name: 'NAME', about: 'Name to sign in with. Upper and lower case are the same.' }],
    flags: {
      'password-file': { ...passwordFile, about: `${passwordFile.about} Default: a generated one.` },
      operator: truth('Let the user control every world. Default: no.'),
      auditor: truth('Let the user read every world, and change nothing. Default: no.'),
      paper: { about: 'Also create a paper account.', field: null },
      live: { about: 'Also create a live account.', field: null },
      cash: {
        placeholder: 'USD',
        about: 'Starting cash of a created account. Default: the starting cash of the world.',
        field: null,
      },
      accounts: {
        placeholder: 'ID,…',
        about: 'Existing accounts to give to the user.',
        field: 'account_ids',
        value: idsOf,
      },
    },
    otherFields: ({ args }) => {
      const opened = (['paper', 'live'] as const).filter((flavour) => args.has(flavour))
      const cash = definedFields({ cash: args.get('cash') })
      return { operator: false, auditor: false, accounts: opened.map((flavour) => ({ flavour, ...cash })) }
    },
    example: 'quipu user create ana --paper --cash 25000',
  }),
  calling('changeUser', {
    name: 'user update',
    about: 'Update the given fields. A new password, or disabling, signs the user out everywhere.',
    arguments: [which],
    flags: {
      name: { placeholder: 'NAME', about: 'New name to sign in with.' },
      'password-file': passwordFile,
      operator: truth('Let the user control every world.'),
      auditor: truth('Let the user read every world, and change nothing.'),
      disabled: truth('Refuse the user and all apps that act for them.'),
      accounts: {
        placeholder: 'ID,…|none',
        about: 'All accounts of the user.',
        field: 'account_ids',
        value: idsOf,
      },
    },
    example: 'quipu user update ana --disabled yes',
  }),
  calling('deleteUser', {
    name: 'user delete',
    about: 'Delete a user without open accounts.',
    arguments: [which],
    example: 'quipu user delete ana',
    print: done('USER', 'deleted'),
  }),
  calling('createSignInLink', {
    name: 'user link',
    about: 'Create a link that signs a user in, once, within an hour.',
    arguments: [which],
    example: 'quipu user link owner',
    print: (context, link) => printText(context, link, link.url),
  }),
  calling('endUserSessions', {
    name: 'user sign-out',
    about: 'Sign a user out everywhere, or out of one browser.',
    arguments: [which],
    flags: {
      session: {
        placeholder: 'ID',
        about: 'End this session only; the id is in `quipu user show`.',
        field: 'session_id',
      },
    },
    example: 'quipu user sign-out ana',
    print: done('USER', 'signed_out'),
  }),
  resetCommand,
]

const roleOf = ({ operator, auditor }: OutputOf<'getUser'>): string =>
  operator ? 'operator' : auditor ? 'auditor' : 'user'

const userTable: readonly Column<OutputOf<'listUsers'>[number]>[] = [
  ['ID', ({ user_id: id }) => id],
  ['NAME', ({ name }) => name, 12],
  ['ROLE', (user) => (user.disabled ? 'disabled' : roleOf(user))],
  ['ACCOUNTS', ({ accounts }) => accounts.length, 'right'],
  ['SESSIONS', ({ sessions }) => sessions, 'right'],
  ['SECOND FACTOR', ({ second_factors: factors }) => factors.join(', ').replaceAll('_', ' ') || 'none'],
]

export const partnerCommands: readonly CliCommand[] = [
  calling('listPartners', {
    name: 'partner list',
    about: 'List the partners of a world.',
    example: 'quipu partner list',
    print: (context, partners) => printList(context, partners, partnerTable, 'no partners'),
  }),
  calling('createPartner', {
    name: 'partner create',
    about: 'Create a partner with a key. The secret is shown once. A partner sees the accounts it opens.',
    arguments: [{ name: 'NAME', about: 'Name of the partner.' }],
    example: 'quipu partner create Acme',
  }),
]

const partnerTable: readonly Column<OutputOf<'listPartners'>[number]>[] = [
  ['ID', ({ partner_id: id }) => id],
  ['NAME', ({ name }) => name, 12],
  ['ACCOUNTS', ({ accounts }) => accounts, 'right'],
  ['CREATED (UTC)', ({ created_at: at }) => utc(at)?.slice(0, 16)],
]
