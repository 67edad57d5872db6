import type { CallOf, OutputOf } from '../operations.ts'

const at = '2026-11-02T15:10:15.101202303Z'
const user = {
  user_id: '3f2a1b0c-9d8e-4f7a-8b6c-5d4e3f2a1b0c',
  name: 'ana',
  operator: false,
  disabled: false,
  accounts: [
    {
      account_id: '5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b',
      account_number: 'PA0123456789',
      flavour: 'paper',
    },
  ],
  sessions: 1,
  created_at: at,
} as const
const params = { world: 'main', user: 'ana' }

export const userExamples: {
  readonly [Name in
    | 'listUsers'
    | 'createUser'
    | 'getUser'
    | 'changeUser'
    | 'deleteUser'
    | 'createSignInLink'
    | 'listUserSessions'
    | 'endUserSessions']: { readonly input: CallOf<Name>; readonly output: OutputOf<Name> }
} = {
  listUsers: { input: { params: { world: 'main' } }, output: [user] },
  createUser: {
    input: { params: { world: 'main' }, body: { name: 'ana', accounts: [{ flavour: 'paper' }] } },
    output: { ...user, sessions: 0, password: 'Zk1v0b3JcQ9xT2mLw8aR' },
  },
  getUser: { input: { params }, output: user },
  changeUser: {
    input: { params, body: { disabled: true } },
    output: { ...user, disabled: true, sessions: 0 },
  },
  deleteUser: { input: { params }, output: undefined },
  createSignInLink: {
    input: { params, body: { operator: true } },
    output: {
      url: 'http://127.0.0.1:7878/oauth/sign-in?once=Hq3…',
      expires_at: '2026-11-02T16:10:15.101Z',
    },
  },
  listUserSessions: {
    input: { params },
    output: [
      {
        session_id: '9b8a7c6d-5e4f-4a3b-8c2d-1e0f9a8b7c6d',
        created_at: at,
        ends_at: '2026-11-03T03:10:15.101Z',
        from: '203.0.113.7',
      },
    ],
  },
  endUserSessions: { input: { params, query: {} }, output: undefined },
}
