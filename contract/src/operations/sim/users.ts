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
import { worldParam } from './world-param.ts'

const Flavour = oneOf('paper', 'live')

const fields = {
  user_id: uuid(),
  name: text(),
  operator: bool().about('May control every world.'),
  disabled: bool().about('Does not sign in, and no app acts for them.'),
  accounts: array(record({ account_id: uuid(), account_number: text(), flavour: Flavour })),
  sessions: integer({ min: 0 }).about('Browsers in which they are signed in.'),
  created_at: timestamp(),
}

export const User = record(fields).named('User')
export const CreatedUser = record({
  ...fields,
  password: optional(text()).about('The one that was made, where none was brought. Shown once.'),
}).named('CreatedUser')
export const UserSession = record({
  session_id: uuid(),
  created_at: timestamp(),
  ends_at: timestamp().about("By the machine's clock."),
  operator_until: optional(timestamp()).about('Until when it may act as an operator.'),
  from: optional(text()).about('The address it was begun from. Absent once it is erased.'),
}).named('UserSession')

const name = () =>
  text({ min: 1, max: 128 })
    .where((given) => given.trim() === given, 'name: expected no space at either end')
    // What stands in a path is an id or a name, and must not be both.
    .where((given) => !isUuid(given), 'name: expected a name, received what looks like an id')
/** What was typed is not told back. */
const password = () =>
  text({ min: 12, max: 256 })
    .message(PASSWORD_PROBLEM)
    .where((given) => [...given].length >= 12, PASSWORD_PROBLEM)
const PASSWORD_PROBLEM = 'password: expected text of 12 to 256 characters'
const accountIds = () => array(uuid(), { max: 100 })

const inWorld = record(worldParam)
const userParam = { ...worldParam, user: text({ min: 1, max: 128 }).about('An id or a name.') }
const ofUser = record(userParam)
const shared = { family: 'sim', who: ['operator'], scope: 'never', state: 'works' } as const
const path = '/sim/v1/worlds/{world}/users'
const found = ['worldNotFound', 'userNotFound'] as const

export const users = {
  listUsers: operation({
    ...shared,
    method: 'GET',
    path,
    summary: 'The people of a world, oldest first.',
    params: inWorld,
    output: array(User),
    status: 200,
    errors: ['worldNotFound'],
  }),
  createUser: operation({
    ...shared,
    method: 'POST',
    path,
    summary: 'Adds a person, who signs in by name and password and owns the accounts named or opened here.',
    params: inWorld,
    body: record({
      name: name(),
      password: optional(password()).about(
        'At least 12 characters, without the name in it. One is made, and shown once, when left out.',
      ),
      operator: withDefault(bool(), false),
      account_ids: withDefault(accountIds(), []).about('Accounts that become theirs.'),
      accounts: withDefault(
        array(
          record({
            flavour: withDefault(Flavour, 'paper'),
            cash: optional(
              decimal({ beyond: 'kept' }).where(
                (dollars) => !dollars.startsWith('-'),
                'cash: expected zero or more',
              ),
            ).about("What the world's accounts begin with, when left out."),
          }),
          { max: 20 },
        ),
        [],
      ).about('Accounts to open for them.'),
    }).named('NewUser'),
    output: CreatedUser,
    status: 201,
    errors: ['invalidParameter', 'worldNotFound', 'userNameTaken', 'partnerNotFound'],
  }),
  getUser: operation({
    ...shared,
    method: 'GET',
    path: `${path}/{user}`,
    summary: 'One person.',
    params: ofUser,
    output: User,
    status: 200,
    errors: found,
  }),
  changeUser: operation({
    ...shared,
    method: 'PATCH',
    path: `${path}/{user}`,
    summary: 'Changes what is named. A new password, or being disabled, ends every session of theirs.',
    params: ofUser,
    body: record({
      name: optional(name()),
      password: optional(password()),
      operator: optional(bool()),
      disabled: optional(bool()),
      account_ids: optional(accountIds()).about(
        'All they are to have; what apps were allowed on an account that changes hands ends.',
      ),
    }).named('UserChange'),
    output: User,
    status: 200,
    errors: ['invalidParameter', ...found, 'userNameTaken'],
  }),
  deleteUser: operation({
    ...shared,
    method: 'DELETE',
    path: `${path}/{user}`,
    summary: 'Removes a person without open accounts, signed out everywhere.',
    params: ofUser,
    status: 204,
    errors: [...found, 'userHasAccounts'],
  }),
  createSignInLink: operation({
    ...shared,
    method: 'POST',
    path: `${path}/{user}/link`,
    summary: 'Makes an address that signs the person in, once, within an hour.',
    params: ofUser,
    body: record({
      operator: withDefault(bool(), false).about(
        'Whether the session may act as an operator for an hour. The person must be one.',
      ),
    }).named('SignInLinkRequest'),
    output: record({ url: text().about('Shown once.'), expires_at: timestamp() }).named('SignInLink'),
    status: 201,
    errors: [...found, 'userNotOperator', 'invalidParameter'],
  }),
  listUserSessions: operation({
    ...shared,
    method: 'GET',
    path: `${path}/{user}/sessions`,
    summary: 'The browsers in which a person is signed in, oldest first.',
    params: ofUser,
    output: array(UserSession),
    status: 200,
    errors: found,
  }),
  endUserSessions: operation({
    ...shared,
    method: 'DELETE',
    path: `${path}/{user}/sessions`,
    summary: 'Signs a person out everywhere, or out of one browser.',
    params: ofUser,
    query: record({ session_id: optional(uuid()).about('The only one to end.') }),
    status: 204,
    errors: ['invalidParameter', ...found],
  }),
}
