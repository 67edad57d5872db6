import { operation } from '../../operation.ts'
import {
  array,
  bool,
  either,
  forgiving,
  integer,
  nullable,
  oneOf,
  optional,
  record,
  text,
  timestamp,
  uuid,
} from '../../shape/index.ts'

/** Whatever comes is met by a page, so nothing is refused here. What is given twice is told apart from what is missing. */
const field = () => optional(forgiving(either(text({ max: 16_384 }), array(text({ max: 16_384 })))))
const typed = (max = 16_384) => optional(forgiving(text({ max })))

/** What an app sends a person's browser here with. */
const authorizationRequest = {
  response_type: field().about('`code`.'),
  client_id: field(),
  redirect_uri: field().about('One of those the app has registered.'),
  scope: field().about('Words apart by spaces; none asks for reading only.'),
  state: field().about('Comes back unchanged.'),
  env: field().about('`live` or `paper`: only an account of that kind is offered.'),
  code_challenge: field(),
  code_challenge_method: field().about('`S256`.'),
}

const csrf = typed(128).about('From the form of the page.')
const request = typed().about("The app's request, as a query.")

const shared = { family: 'oauth', who: ['anyone'], scope: 'never', status: 200, state: 'works' } as const
const page = { ...shared, raw: 'text/html; charset=utf-8', errors: [] } as const
const form = { ...page, method: 'POST', bodyKind: 'form' } as const

export const oauthPages = {
  showAuthorizePage: operation({
    ...page,
    method: 'GET',
    path: '/oauth/authorize',
    summary: 'Asks a person whether an app may act for them. An app leads the browser here.',
    query: record(authorizationRequest),
  }),
  submitAuthorizePage: operation({
    ...form,
    path: '/oauth/authorize',
    summary: "The person's answer, from the page. Leads back to the app, with a code or an error.",
    body: record({
      csrf,
      request,
      answer: optional(forgiving(oneOf('allow', 'deny'))),
      live: typed(64).about('The live account that was chosen.'),
      paper: typed(64).about('The paper account that was chosen.'),
    }).named('AuthorizeAnswer'),
  }),
  showSignInPage: operation({
    ...page,
    method: 'GET',
    path: '/oauth/sign-in',
    summary: 'Where a person signs in. A page, also for the links that sign someone in once.',
    query: record({ request, once: typed(128).about('Of a link that signs someone in once.') }),
  }),
  signIn: operation({
    ...form,
    path: '/oauth/sign-in',
    summary: 'Signs a person in, from the page, and sets the cookie of the session.',
    body: record({
      csrf,
      request,
      name: typed(128),
      password: typed(1024),
      once: typed(128),
    }).named('SignIn'),
  }),
  signOut: operation({
    ...form,
    path: '/oauth/sign-out',
    summary: 'Ends the session of the browser, with all tokens it was given.',
    body: record({ csrf, request }).named('SignOut'),
  }),
  showAppsPage: operation({
    ...page,
    method: 'GET',
    path: '/oauth/apps',
    summary: 'Page: the apps that may act for the signed-in user.',
    query: record({ withdrawn: typed(128).about('The client id of an app that was just withdrawn.') }),
  }),
  withdrawApp: operation({
    ...form,
    path: '/oauth/apps',
    summary: 'Withdraw the consent of the signed-in user to an app, from the page.',
    body: record({ csrf, client_id: typed(128) }).named('WithdrawApp'),
  }),
  showOperatorPage: operation({
    ...page,
    method: 'GET',
    path: '/oauth/operator',
    summary: 'Shows whether the session may act as an operator, and until when. A page.',
  }),
  changeOperatorRights: operation({
    ...form,
    path: '/oauth/operator',
    summary: 'Raises the operator rights of the session for an hour, by the password again, or drops them.',
    body: record({
      csrf,
      answer: optional(forgiving(oneOf('raise', 'drop'))),
      password: typed(1024),
    }).named('OperatorRights'),
  }),
  getBrowserSession: operation({
    ...shared,
    family: 'system',
    method: 'GET',
    path: '/oauth/session',
    summary: 'Who is signed in at this browser, by its cookie.',
    output: record({
      person_id: uuid(),
      name: text(),
      operator: bool().about(
        'Whether the person is an operator. Their rights must be raised before they are used.',
      ),
      operator_until: nullable(timestamp()).about('Until when this session may act as an operator.'),
      form_token: text().about('Sent back when this session asks for a token.'),
      world: text(),
      expires_at: timestamp(),
      accounts: array(record({ id: uuid(), account_number: text(), flavour: oneOf('live', 'paper') })),
    }).named('BrowserSession'),
    errors: ['unauthorized'],
  }),
  issueSessionToken: operation({
    ...shared,
    family: 'system',
    method: 'POST',
    path: '/oauth/session/token',
    summary:
      'A token of some minutes for a page of this server, which acts for one account or as the operator.',
    body: record({
      form_token: text({ min: 1, max: 128 }).about('From `GET /oauth/session`.'),
      account_id: optional(uuid()),
      operator: optional(bool()),
      read_only: optional(bool()).about('With operator: the token serves GET alone.'),
    })
      .named('SessionTokenRequest')
      .refine(({ account_id, operator }) =>
        (account_id !== undefined) === (operator === true)
          ? { field: 'account_id', message: 'expected either account_id, or operator: true' }
          : undefined,
      )
      .refine(({ operator, read_only }) =>
        read_only && !operator
          ? { field: 'read_only', message: 'expected only beside operator: true' }
          : undefined,
      ),
    output: record({
      access_token: text(),
      token_type: oneOf('Bearer'),
      expires_in: integer(),
    }).named('SessionToken'),
    errors: [
      'unauthorized',
      'forbidden',
      'operatorRightsNotRaised',
      'accountNotFound',
      'invalidParameter',
      'unsupportedMediaType',
    ],
  }),
}
