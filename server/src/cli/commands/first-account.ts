import { type Context, Failed } from '../command.ts'

/** The call for the account that `--account` names, else for the first account of the world. */
export async function accountIn({ operator, config: { world }, args }: Context) {
  const account_id =
    args.get('account') ?? (await operator().getWorld({ params: { world } })).accounts[0]?.account_id
  if (account_id === undefined)
    throw new Failed(`the world ${world} has no account: create one with \`quipu account create\``)
  return { headers: { 'x-quipu-world': world }, params: { account_id } }
}
