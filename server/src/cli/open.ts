import { type Command, Failed } from './command.ts'

/** Whoever can run this has the operator key already, so the link raises operator rights too. */
export const openCommand: Command = {
  name: 'open',
  about: 'Print a link that signs an operator in, once, within an hour, with operator rights for one hour.',
  flags: { user: { placeholder: 'USER', about: 'Name or id of the operator. Default: the first operator.' } },
  operations: ['listUsers', 'createSignInLink'],
  example: 'quipu open',
  run: async ({ operator, config: { world }, given, json, say }) => {
    const wanted = given.get('user')
    const users = wanted === undefined ? await operator().listUsers({ params: { world } }) : []
    const user = wanted ?? users.find((one) => one.operator && !one.disabled)?.name
    if (user === undefined)
      throw new Failed(
        `the world ${world} has no operator to sign in; create one: quipu user create NAME --operator yes`,
      )
    const link = await operator().createSignInLink({ params: { world, user }, body: { operator: true } })
    say(json ? JSON.stringify(link) : link.url)
    return 0
  },
}
