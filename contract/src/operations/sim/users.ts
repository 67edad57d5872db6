import { operation } from '../../operation.ts'
import {
  array,
  bool,
  decimal,
  integer,
  isUuid,
  oneOf,
  optional,
  record,
  text,
  timestamp,
  uuid,
  withDefault,
} from '../../shape/index.ts'
import { ofWorld, operatorOnly, worldParam } from './world-param.ts'

const Flavour = oneOf('paper', 'live')

const fields = {
  user_id: uuid(),
  name: text(),
  operator: bool().about('May control every world.'),
  auditor: bool().about('May read every world, and change nothing.'),
  disabled: bool().about('The user cannot sign in, and no app may act for them.'),
  accounts: array(record({ account_id: uuid(), account_number: text(), flavour: Flavour })),
  sessions: integer({ min: 0 }).about('Number of browser sessions.'),
  second_factors: array(oneOf('authenticator_app', 'passkey')).about('Second factors of the user.'),
  created_at: timestamp(),
}

export const UserShape = record(fields).named('User')
export const CreatedUser = record({
  ...fields,
  password: optional(text()).about('Generated password, if the request had none. Shown once.'),
}).named('CreatedUser')
export const UserSession = record({
  session_id: uuid(),
  created_at: timestamp(),
  ends_at: timestamp().about('By the clock of the machine.'),
  operator_until: optional(timestamp()).about('End of the raised operator rights.'),
  from: optional(text()).about('Client IP address at sign-in. Absent after its erasure.'),
}).named('UserSession')

const name = () =>
  text({ min: 1, max: 128 })
    .where((value) => value.trim() === value, 'name: expected no space at the start or end')
    // A path accepts an id or a name, so a name must not look like an id.
    .where((value) => !isUuid(value), 'name: expected a name, received a UUID')
/** The error does not repeat the password. */
const password = () =>
  text({ min: 12, max: 256 })
    .message(PASSWORD_PROBLEM)
    .where((value) => [...value].length >= 12, PASSWORD_PROBLEM)
const PASSWORD_PROBLEM = 'password: expected text of 12 to 256 characters'
const accountIds = () => array(uuid(), { max: 100 })

const userParam = { ...worldParam, user: text({ min: 1, max: 128 }).about('User id or name.') }
const ofUser = record(userParam)
const path = '/sim/v1/worlds/{world}/users'
const userErrors = ['worldNotFound', 'userNotFound'] as const

export const users = {
  listUsers: operation(`GET ${path}`, ofWorld, {
    summary: 'List users of a world, oldest first.',
    output: array(UserShape),
  }),
  createUser: operation(`POST ${path}`, ofWorld, {
    summary: 'Create a user who signs in with name and password and owns the given and the new accounts.',
    body: record({
      name: name(),
      password: optional(password()).about(
        'At least 12 characters, without the user name. Default: generated and shown once.',
      ),
      operator: withDefault(bool(), false).about('May control every world.'),
      auditor: withDefault(bool(), false).about('May read every world. Not together with `operator`.'),
      account_ids: withDefault(accountIds(), []).about('Existing accounts to assign to the user.'),
      accounts: withDefault(
        array(
          record({
            flavour: withDefault(Flavour, 'paper'),
            cash: optional(
              decimal({ excess: 'kept' }).where(
                (dollars) => !dollars.startsWith('-'),
                'cash: expected zero or more',
              ),
            ).about('Dollars. Default: the starting cash of the world.'),
          }),
          { max: 20 },
        ),
        [],
      ).about('Accounts to open for the user.'),
    }).named('NewUser'),
    output: CreatedUser,
    status: 201,
    errors: ['invalidParameter', 'worldNotFound', 'userNameTaken', 'userHasOneRole', 'partnerNotFound'],
  }),
  getUser: operation(`GET ${path}/{user}`, operatorOnly, {
    summary: 'Get a user.',
    params: ofUser,
    output: UserShape,
    errors: userErrors,
  }),
  changeUser: operation(`PATCH ${path}/{user}`, operatorOnly, {
    summary: 'Update the given fields of a user. A new password, or disabling the user, ends all sessions.',
    params: ofUser,
    body: record({
      name: optional(name()),
      password: optional(password()),
      operator: optional(bool()),
      auditor: optional(bool()),
      disabled: optional(bool()),
      account_ids: optional(accountIds()).about(
        'All accounts of the user. Grants to apps on an account that changes its owner are revoked.',
      ),
    }).named('UserChange'),
    output: UserShape,
    errors: ['invalidParameter', ...userErrors, 'userNameTaken', 'userHasOneRole'],
  }),
  deleteUser: operation(`DELETE ${path}/{user}`, operatorOnly, {
    summary: 'Delete a user without open accounts and end all sessions.',
    params: ofUser,
    errors: [...userErrors, 'userHasAccounts'],
  }),
  createSignInLink: operation(`POST ${path}/{user}/link`, operatorOnly, {
    summary: 'Create a URL that signs the user in once, within one hour.',
    params: ofUser,
    body: record({
      operator: withDefault(bool(), false).about(
        'Start the session with the rights of the role for one hour. The user must be an operator or an auditor.',
      ),
    }).named('SignInLinkRequest'),
    output: record({ url: text().about('Shown once.'), expires_at: timestamp() }).named('SignInLink'),
    status: 201,
    errors: [...userErrors, 'userNotOperator', 'invalidParameter'],
  }),
  resetSecondFactors: operation(`DELETE ${path}/{user}/second-factors`, operatorOnly, {
    summary:
      'Remove all second factors of a user who lost them, and end all sessions. Only from the machine of the server: `quipu user reset-second-factors`.',
    params: ofUser,
    headers: record({
      'x-quipu-recovery': optional(text({ min: 1, max: 64 })).about(
        'Name of a file that the command has written to the data folder.',
      ),
    }),
    errors: [...userErrors, 'recoveryNotLocal'],
  }),
  listUserSessions: operation(`GET ${path}/{user}/sessions`, operatorOnly, {
    summary: 'List browser sessions of a user, oldest first.',
    params: ofUser,
    output: array(UserSession),
    errors: userErrors,
  }),
  endUserSessions: operation(`DELETE ${path}/{user}/sessions`, operatorOnly, {
    summary: 'End all browser sessions of a user, or one of them.',
    params: ofUser,
    query: record({ session_id: optional(uuid()).about('End only this session.') }),
    errors: ['invalidParameter', ...userErrors],
  }),
}
