import type { Handlers, OperationName } from '@quipu/contract'
import { accountBlockHandlers } from './broker/account-blocks.ts'
import { brokerAccountHandlers } from './broker/accounts.ts'
import { brokerMoneyHandlers } from './broker/money.ts'
import { type ForAccountName, type ForPartnerName, tradingHandlers } from './broker/trading-accounts.ts'
import type { Context, SomeHandlers } from './context.ts'
import { barHandlers } from './data/bars.ts'
import { corporateActionDataHandlers } from './data/corporate-actions.ts'
import { emptyDataHandlers } from './data/empty.ts'
import { haltHandlers } from './data/halts.ts'
import { latestHandlers } from './data/latest.ts'
import { screenerHandlers } from './data/screener.ts'
import { tickHandlers } from './data/ticks.ts'
import { oauthClientHandlers, oauthSecretHandlers } from './oauth/clients.ts'
import { oauthGrantHandlers } from './oauth/grants.ts'
import { machineTokenHandlers } from './oauth/machine-tokens.ts'
import { oauthHandlers } from './oauth/oauth.ts'
import { oauthPageHandlers } from './oauth/pages.ts'
import { oauthTokenHandlers } from './oauth/tokens.ts'
import { readingHandlers } from './reading/index.ts'
import { clusterHandlers } from './sim/cluster.ts'
import { corporateActionHandlers } from './sim/corporate-actions.ts'
import { doctorHandlers } from './sim/doctor.ts'
import { faultHandlers } from './sim/faults.ts'
import { partnerHandlers } from './sim/keys.ts'
import { marketHandlers } from './sim/market.ts'
import { replayHandlers } from './sim/replay.ts'
import { systemHandlers } from './sim/system.ts'
import { userHandlers } from './sim/users.ts'
import { accountHandlers } from './trading/account.ts'
import { activityHandlers } from './trading/activities.ts'
import { announcementHandlers } from './trading/announcements.ts'
import { assetHandlers } from './trading/assets.ts'
import { calendarHandlers } from './trading/calendar.ts'
import { accountEventHandlers } from './trading/events.ts'
import { orderHandlers } from './trading/orders.ts'
import { portfolioHistoryHandlers } from './trading/portfolio-history.ts'
import { positionHandlers } from './trading/positions.ts'
import { unsupportedHandlers } from './trading/unsupported.ts'
import { watchlistHandlers } from './trading/watchlists.ts'

/** A preview explains itself with the sentences of explanations, which are loaded with the first one. */
const orderPreviewHandlers = {
  previewOrder: async (input, context) =>
    (await import('./trading/order-preview.ts')).orderPreviewHandlers.previewOrder(input, context),
} satisfies SomeHandlers

/** The handlers that need only the context of a request, by family. */
const contextHandlers = {
  ...accountEventHandlers,
  ...accountHandlers,
  ...activityHandlers,
  ...announcementHandlers,
  ...assetHandlers,
  ...calendarHandlers,
  ...orderHandlers,
  ...orderPreviewHandlers,
  ...portfolioHistoryHandlers,
  ...positionHandlers,
  ...unsupportedHandlers,
  ...watchlistHandlers,

  ...barHandlers,
  ...corporateActionDataHandlers,
  ...haltHandlers,
  ...latestHandlers,
  ...emptyDataHandlers,
  ...screenerHandlers,
  ...tickHandlers,

  ...accountBlockHandlers,
  ...brokerAccountHandlers,
  ...brokerMoneyHandlers,

  ...machineTokenHandlers,
  ...oauthClientHandlers,
  ...oauthGrantHandlers,
  ...oauthHandlers,
  ...oauthPageHandlers,
  ...oauthSecretHandlers,
  ...oauthTokenHandlers,

  ...clusterHandlers,
  ...corporateActionHandlers,
  ...doctorHandlers,
  ...faultHandlers,
  ...marketHandlers,
  ...partnerHandlers,
  ...replayHandlers,
  ...systemHandlers,
  ...userHandlers,

  ...readingHandlers,
}

/** The operations whose handlers need more than the context. The build fails if one is missing. */
export type OtherNames = Exclude<
  OperationName,
  keyof typeof contextHandlers | ForAccountName | ForPartnerName
>

/** One handler for each operation of the contract. */
export const makeHandlers = (others: Handlers<Context, OtherNames>): Handlers<Context> => ({
  ...others,
  ...contextHandlers,
  ...tradingHandlers(contextHandlers),
})
