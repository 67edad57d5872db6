import type { ListingExchange } from './asset.ts'

/**
 * The listed symbols and the parameters of their generated tapes. Base prices are approximate prices at the end of
 * 2026; volume and trades are those of an average regular session. Ids never change.
 */
export type ListedRow = {
  readonly symbol: string
  readonly id: string
  readonly exchange: ListingExchange
  readonly name: string
  /** Cents. */
  readonly basePrice: number
  readonly volume: number
  readonly trades: number
  readonly volatility: number
  readonly beta: number
  readonly spread: number
  readonly depth: number
}

// biome-ignore format: one row per symbol, in columns.
export const FIRST_LISTED: readonly ListedRow[] = [
  { symbol: 'AAPL',  id: '605209a6-1bc6-51c6-b6d0-0a8ee018b471', exchange: 'NASDAQ', name: 'Apple Inc. Common Stock',                    basePrice: 26_800, volume: 45_000_000,  trades: 120_000, volatility: 0.28, beta: 1.15, spread: 0.4,  depth: 12 },
  { symbol: 'MSFT',  id: 'b4159c14-b766-50f8-86cd-467dfa14a3bc', exchange: 'NASDAQ', name: 'Microsoft Corporation Common Stock',         basePrice: 51_000, volume: 20_000_000,  trades: 90_000,  volatility: 0.25, beta: 1.05, spread: 0.5,  depth: 8 },
  { symbol: 'GOOGL', id: '9dcf7d36-f53b-5675-970a-dc3d2a7b3a30', exchange: 'NASDAQ', name: 'Alphabet Inc. Class A Common Stock',         basePrice: 28_400, volume: 32_000_000,  trades: 95_000,  volatility: 0.3,  beta: 1.1,  spread: 0.4,  depth: 10 },
  { symbol: 'AMZN',  id: 'dba4c355-2752-5a73-a412-993a9ea61a02', exchange: 'NASDAQ', name: 'Amazon.com, Inc. Common Stock',              basePrice: 23_500, volume: 38_000_000,  trades: 100_000, volatility: 0.31, beta: 1.2,  spread: 0.45, depth: 12 },
  { symbol: 'NVDA',  id: '99c2d260-3ae4-5246-a22e-2dcc2ff73c35', exchange: 'NASDAQ', name: 'NVIDIA Corporation Common Stock',            basePrice: 18_800, volume: 170_000_000, trades: 220_000, volatility: 0.42, beta: 1.6,  spread: 0.55, depth: 25 },
  { symbol: 'META',  id: 'facfef7a-91d4-5735-ac1e-72196bafcdac', exchange: 'NASDAQ', name: 'Meta Platforms, Inc. Class A Common Stock',  basePrice: 63_500, volume: 14_000_000,  trades: 75_000,  volatility: 0.34, beta: 1.25, spread: 0.6,  depth: 6 },
  { symbol: 'TSLA',  id: '8338391a-5ee2-5f1b-bd0d-28382f18ea4e', exchange: 'NASDAQ', name: 'Tesla, Inc. Common Stock',                   basePrice: 42_500, volume: 80_000_000,  trades: 180_000, volatility: 0.55, beta: 1.7,  spread: 0.5,  depth: 8 },
  { symbol: 'AMD',   id: 'f966b279-a850-5e1b-9495-d05af39bd07f', exchange: 'NASDAQ', name: 'Advanced Micro Devices, Inc. Common Stock',  basePrice: 23_200, volume: 45_000_000,  trades: 110_000, volatility: 0.48, beta: 1.6,  spread: 0.5,  depth: 12 },
  { symbol: 'INTC',  id: 'd78c9ab9-aa3f-5ba1-9736-d81a79976405', exchange: 'NASDAQ', name: 'Intel Corporation Common Stock',             basePrice: 3_750,  volume: 75_000_000,  trades: 85_000,  volatility: 0.45, beta: 1.2,  spread: 2.6,  depth: 60 },
  { symbol: 'NFLX',  id: 'd2653a29-63fb-53ba-ad6f-6e18a1d65fc2', exchange: 'NASDAQ', name: 'Netflix, Inc. Common Stock',                 basePrice: 11_200, volume: 35_000_000,  trades: 80_000,  volatility: 0.33, beta: 1.0,  spread: 0.9,  depth: 15 },
  { symbol: 'JPM',   id: '79573e91-956f-568e-be4d-79c50fd3f4b0', exchange: 'NYSE',   name: 'JPMorgan Chase & Co. Common Stock',          basePrice: 30_800, volume: 9_000_000,   trades: 55_000,  volatility: 0.23, beta: 1.0,  spread: 0.6,  depth: 6 },
  { symbol: 'BAC',   id: '7536b275-55df-5df5-aa15-ec9dfe32a156', exchange: 'NYSE',   name: 'Bank of America Corporation Common Stock',   basePrice: 5_280,  volume: 35_000_000,  trades: 60_000,  volatility: 0.25, beta: 1.1,  spread: 1.9,  depth: 50 },
  { symbol: 'KO',    id: '9f22a998-088a-5efc-a6c9-eef09c01997e', exchange: 'NYSE',   name: 'The Coca-Cola Company Common Stock',         basePrice: 7_050,  volume: 15_000_000,  trades: 42_000,  volatility: 0.15, beta: 0.45, spread: 1.4,  depth: 30 },
  { symbol: 'PFE',   id: 'fc31779e-4bca-5c9d-a873-1e3f5025a294', exchange: 'NYSE',   name: 'Pfizer Inc. Common Stock',                   basePrice: 2_480,  volume: 45_000_000,  trades: 55_000,  volatility: 0.23, beta: 0.5,  spread: 4.0,  depth: 90 },
  { symbol: 'DIS',   id: '4d88de1f-af69-581e-a55e-91b675770999', exchange: 'NYSE',   name: 'The Walt Disney Company Common Stock',       basePrice: 10_900, volume: 9_000_000,   trades: 38_000,  volatility: 0.26, beta: 1.05, spread: 1.0,  depth: 12 },
  { symbol: 'XOM',   id: 'fdae3d5b-89af-5e35-973d-9c1070313245', exchange: 'NYSE',   name: 'Exxon Mobil Corporation Common Stock',       basePrice: 11_700, volume: 14_000_000,  trades: 50_000,  volatility: 0.24, beta: 0.65, spread: 0.9,  depth: 14 },
  { symbol: 'F',     id: '11bd4934-b833-50d0-bcb8-01410e0f02a7', exchange: 'NYSE',   name: 'Ford Motor Company Common Stock',            basePrice: 1_310,  volume: 60_000_000,  trades: 45_000,  volatility: 0.32, beta: 1.2,  spread: 7.6,  depth: 200 },
  { symbol: 'T',     id: '31eb1fd6-cd66-54c7-b9bc-4748b4d30c8f', exchange: 'NYSE',   name: 'AT&T Inc. Common Stock',                     basePrice: 2_560,  volume: 35_000_000,  trades: 45_000,  volatility: 0.2,  beta: 0.4,  spread: 3.9,  depth: 120 },
  { symbol: 'SPY',   id: '11169d73-1600-51dd-aa33-a33dc2a584a4', exchange: 'ARCA',   name: 'State Street SPDR S&P 500 ETF Trust',        basePrice: 68_200, volume: 70_000_000,  trades: 160_000, volatility: 0.16, beta: 1.0,  spread: 0.15, depth: 20 },
  { symbol: 'QQQ',   id: 'c509a1c8-6565-51ac-8331-a30ef2d6319a', exchange: 'NASDAQ', name: 'Invesco QQQ Trust, Series 1',                basePrice: 61_500, volume: 50_000_000,  trades: 130_000, volatility: 0.2,  beta: 1.2,  spread: 0.17, depth: 18 },
]

/**
 * The other symbols, one per line: symbol, exchange (Q Nasdaq, N NYSE, P Arca, A American, Z Bats), price in dollars, millions
 * of shares a day, volatility, beta, sector (- for none) and name. The other parameters are derived from these.
 */
export const LISTED_LINES = `
GOOG Q 285 22 .3 1.1 comm Alphabet Inc. Class C Capital Stock
AVGO Q 355 22 .45 1.4 tech Broadcom Inc. Common Stock
ORCL N 235 18 .42 1.3 tech Oracle Corporation Common Stock
CRM N 245 7 .33 1.2 tech Salesforce, Inc. Common Stock
ADBE Q 335 4 .33 1.2 tech Adobe Inc. Common Stock
CSCO Q 75 20 .22 .9 tech Cisco Systems, Inc. Common Stock
ACN N 250 4 .26 1.1 tech Accenture plc Class A Ordinary Shares
IBM N 305 4.5 .26 .8 tech International Business Machines Corporation Common Stock
QCOM Q 172 9 .36 1.3 tech QUALCOMM Incorporated Common Stock
TXN Q 162 7 .33 1.2 tech Texas Instruments Incorporated Common Stock
INTU Q 660 1.6 .3 1.2 tech Intuit Inc. Common Stock
NOW N 850 1.4 .35 1.25 tech ServiceNow, Inc. Common Stock
AMAT Q 230 8 .42 1.5 tech Applied Materials, Inc. Common Stock
MU Q 245 24 .5 1.5 tech Micron Technology, Inc. Common Stock
LRCX Q 158 11 .45 1.5 tech Lam Research Corporation Common Stock
KLAC Q 1180 1 .4 1.4 tech KLA Corporation Common Stock
ADI Q 236 4 .32 1.2 tech Analog Devices, Inc. Common Stock
PANW Q 205 6 .36 1.1 tech Palo Alto Networks, Inc. Common Stock
CRWD Q 530 3 .42 1.3 tech CrowdStrike Holdings, Inc. Class A Common Stock
SNPS Q 400 2.2 .38 1.2 tech Synopsys, Inc. Common Stock
CDNS Q 320 2 .33 1.15 tech Cadence Design Systems, Inc. Common Stock
ANET N 132 9 .45 1.5 tech Arista Networks, Inc. Common Stock
APH N 140 8 .3 1.2 tech Amphenol Corporation Class A Common Stock
MRVL Q 88 16 .55 1.6 tech Marvell Technology, Inc. Common Stock
NXPI Q 205 2.6 .36 1.3 tech NXP Semiconductors N.V. Common Stock
MCHP Q 57 10 .4 1.4 tech Microchip Technology Incorporated Common Stock
ON Q 50 9 .46 1.5 tech ON Semiconductor Corporation Common Stock
MPWR Q 960 .7 .45 1.4 tech Monolithic Power Systems, Inc. Common Stock
SWKS Q 72 3 .38 1.3 tech Skyworks Solutions, Inc. Common Stock
ARM Q 150 6 .55 1.7 tech Arm Holdings plc American Depositary Shares
TSM N 290 13 .36 1.3 tech Taiwan Semiconductor Manufacturing Company Ltd. American Depositary Shares
ASML Q 1020 1.5 .36 1.3 tech ASML Holding N.V. New York Registry Shares
DELL N 140 7 .45 1.3 tech Dell Technologies Inc. Class C Common Stock
HPQ N 26 11 .3 1.1 tech HP Inc. Common Stock
HPE N 24 17 .36 1.2 tech Hewlett Packard Enterprise Company Common Stock
WDC Q 155 9 .48 1.4 tech Western Digital Corporation Common Stock
STX Q 270 4 .46 1.4 tech Seagate Technology Holdings plc Ordinary Shares
NTAP Q 112 2 .32 1.1 tech NetApp, Inc. Common Stock
SMCI Q 40 30 .75 1.8 tech Super Micro Computer, Inc. Common Stock
PLTR Q 180 60 .6 1.7 tech Palantir Technologies Inc. Class A Common Stock
SNOW N 265 5 .45 1.3 tech Snowflake Inc. Class A Common Stock
DDOG Q 180 5 .45 1.3 tech Datadog, Inc. Class A Common Stock
NET N 230 4 .5 1.4 tech Cloudflare, Inc. Class A Common Stock
ZS Q 310 2 .42 1.2 tech Zscaler, Inc. Common Stock
OKTA Q 85 3 .42 1.2 tech Okta, Inc. Class A Common Stock
MDB Q 355 2 .55 1.4 tech MongoDB, Inc. Class A Common Stock
TEAM Q 155 4 .42 1.2 tech Atlassian Corporation Class A Common Stock
WDAY Q 230 3 .33 1.2 tech Workday, Inc. Class A Common Stock
FTNT Q 82 7 .36 1.1 tech Fortinet, Inc. Common Stock
ADSK Q 300 1.8 .3 1.2 tech Autodesk, Inc. Common Stock
ROP Q 450 1 .22 .9 tech Roper Technologies, Inc. Common Stock
FICO N 1700 .3 .36 1.2 tech Fair Isaac Corporation Common Stock
CTSH Q 73 5 .26 1 tech Cognizant Technology Solutions Corporation Class A Common Stock
IT N 235 1.4 .36 1.1 tech Gartner, Inc. Common Stock
GLW N 86 8 .36 1.1 tech Corning Incorporated Common Stock
TEL N 240 2.4 .28 1.1 tech TE Connectivity plc Ordinary Shares
KEYS N 175 1.4 .3 1.1 tech Keysight Technologies, Inc. Common Stock
TER Q 175 4 .46 1.4 tech Teradyne, Inc. Common Stock
FSLR Q 260 3 .5 1.3 tech First Solar, Inc. Common Stock
ENPH Q 32 8 .6 1.4 tech Enphase Energy, Inc. Common Stock
GDDY N 130 2 .32 1 tech GoDaddy Inc. Class A Common Stock
PTC Q 200 1 .28 1.1 tech PTC Inc. Common Stock
TWLO N 130 2.4 .46 1.3 tech Twilio Inc. Class A Common Stock
APP Q 600 6 .65 1.8 tech AppLovin Corporation Class A Common Stock
MSTR Q 240 14 .8 2 tech Strategy Inc Class A Common Stock
SHOP Q 160 9 .5 1.5 tech Shopify Inc. Class A Subordinate Voting Shares
UBER N 92 17 .36 1.2 indu Uber Technologies, Inc. Common Stock
ABNB Q 122 5 .34 1.2 disc Airbnb, Inc. Class A Common Stock
DASH Q 205 5 .4 1.3 disc DoorDash, Inc. Class A Common Stock
COIN Q 300 9 .7 1.9 fin Coinbase Global, Inc. Class A Common Stock
HOOD Q 125 30 .65 1.8 fin Robinhood Markets, Inc. Class A Common Stock
AFRM Q 72 7 .65 1.8 fin Affirm Holdings, Inc. Class A Common Stock
XYZ N 64 9 .48 1.5 fin Block, Inc. Class A Common Stock
PYPL Q 64 14 .36 1.2 fin PayPal Holdings, Inc. Common Stock
V N 335 6 .21 .9 fin Visa Inc. Class A Common Stock
MA N 545 2.7 .22 .95 fin Mastercard Incorporated Class A Common Stock
AXP N 360 2.6 .28 1.2 fin American Express Company Common Stock
WFC N 86 15 .28 1.15 fin Wells Fargo & Company Common Stock
C N 101 14 .3 1.2 fin Citigroup Inc. Common Stock
GS N 790 2 .28 1.25 fin The Goldman Sachs Group, Inc. Common Stock
MS N 165 6 .28 1.2 fin Morgan Stanley Common Stock
SCHW N 95 9 .27 1 fin The Charles Schwab Corporation Common Stock
BLK N 1060 .6 .25 1.2 fin BlackRock, Inc. Common Stock
BX N 145 5 .34 1.35 fin Blackstone Inc. Common Stock
KKR N 120 5 .38 1.45 fin KKR & Co. Inc. Common Stock
APO N 132 4 .38 1.4 fin Apollo Global Management, Inc. Common Stock
BRK.B N 500 4.5 .17 .75 fin Berkshire Hathaway Inc. Class B Common Stock
SPGI N 495 1.5 .23 1 fin S&P Global Inc. Common Stock
MCO N 485 .9 .24 1.05 fin Moody's Corporation Common Stock
CME Q 275 2 .2 .5 fin CME Group Inc. Class A Common Stock
ICE N 155 3 .21 .75 fin Intercontinental Exchange, Inc. Common Stock
NDAQ Q 87 3.4 .24 .9 fin Nasdaq, Inc. Common Stock
CBOE Z 255 .9 .22 .4 fin Cboe Global Markets, Inc. Common Stock
MSCI N 570 .6 .28 1.1 fin MSCI Inc. Common Stock
PGR N 222 3.4 .25 .6 fin The Progressive Corporation Common Stock
CB N 290 1.8 .2 .6 fin Chubb Limited Common Stock
TRV N 285 1.4 .22 .65 fin The Travelers Companies, Inc. Common Stock
ALL N 205 1.8 .25 .6 fin The Allstate Corporation Common Stock
AIG N 77 5 .25 .9 fin American International Group, Inc. Common Stock
MET N 78 4 .27 1.1 fin MetLife, Inc. Common Stock
PRU N 106 2 .28 1.15 fin Prudential Financial, Inc. Common Stock
AFL N 112 2.4 .22 .8 fin Aflac Incorporated Common Stock
HIG N 130 1.8 .22 .75 fin The Hartford Insurance Group, Inc. Common Stock
AON N 345 1.2 .22 .8 fin Aon plc Class A Ordinary Shares
AJG N 255 1.8 .25 .8 fin Arthur J. Gallagher & Co. Common Stock
MRSH N 180 2.6 .2 .8 fin Marsh & McLennan Companies, Inc. Common Stock
BRO N 80 3.4 .25 .8 fin Brown & Brown, Inc. Common Stock
USB N 47 10 .28 1.15 fin U.S. Bancorp Common Stock
PNC N 185 2 .27 1.15 fin The PNC Financial Services Group, Inc. Common Stock
TFC N 45 9 .29 1.15 fin Truist Financial Corporation Common Stock
COF N 215 3.6 .34 1.35 fin Capital One Financial Corporation Common Stock
BK N 108 4 .25 1.05 fin The Bank of New York Mellon Corporation Common Stock
STT N 116 2 .29 1.2 fin State Street Corporation Common Stock
FITB Q 42 6 .3 1.2 fin Fifth Third Bancorp Common Stock
HBAN Q 15.6 26 .31 1.2 fin Huntington Bancshares Incorporated Common Stock
RF N 24.5 12 .31 1.2 fin Regions Financial Corporation Common Stock
KEY N 17.6 17 .34 1.25 fin KeyCorp Common Stock
CFG N 51 5 .32 1.25 fin Citizens Financial Group, Inc. Common Stock
MTB N 185 1.1 .28 1.1 fin M&T Bank Corporation Common Stock
SYF N 74 4 .36 1.35 fin Synchrony Financial Common Stock
TROW Q 102 1.6 .28 1.2 fin T. Rowe Price Group, Inc. Common Stock
AMP N 460 .6 .28 1.2 fin Ameriprise Financial, Inc. Common Stock
RJF N 160 1.3 .26 1.1 fin Raymond James Financial, Inc. Common Stock
IBKR Q 66 6 .42 1.3 fin Interactive Brokers Group, Inc. Class A Common Stock
FIS N 64 5 .27 1 fin Fidelity National Information Services, Inc. Common Stock
FISV Q 62 8 .38 1 fin Fiserv, Inc. Common Stock
GPN N 76 3.4 .33 1.1 fin Global Payments Inc. Common Stock
NU N 16.2 40 .42 1.3 fin Nu Holdings Ltd. Class A Ordinary Shares
HD N 370 4 .22 1 disc The Home Depot, Inc. Common Stock
LOW N 235 2.8 .24 1.05 disc Lowe's Companies, Inc. Common Stock
MCD N 302 3.2 .17 .6 disc McDonald's Corporation Common Stock
SBUX Q 84 9 .29 1 disc Starbucks Corporation Common Stock
NKE N 65 13 .34 1.15 disc NIKE, Inc. Class B Common Stock
TJX N 143 5 .21 .85 disc The TJX Companies, Inc. Common Stock
ROST Q 158 2.4 .25 .95 disc Ross Stores, Inc. Common Stock
BKNG Q 5000 .25 .28 1.2 disc Booking Holdings Inc. Common Stock
EXPE Q 225 1.8 .4 1.4 disc Expedia Group, Inc. Common Stock
MAR Q 275 1.5 .26 1.15 disc Marriott International, Inc. Class A Common Stock
HLT N 265 1.6 .25 1.15 disc Hilton Worldwide Holdings Inc. Common Stock
RCL N 270 2.6 .42 1.6 disc Royal Caribbean Cruises Ltd. Common Stock
CCL N 27 20 .45 1.7 disc Carnival Corporation Common Stock
NCLH N 20 15 .5 1.75 disc Norwegian Cruise Line Holdings Ltd. Ordinary Shares
LVS N 62 5 .34 1.1 disc Las Vegas Sands Corp. Common Stock
MGM N 33 5 .36 1.3 disc MGM Resorts International Common Stock
WYNN Q 122 2 .36 1.25 disc Wynn Resorts, Limited Common Stock
DKNG Q 33 12 .48 1.4 disc DraftKings Inc. Class A Common Stock
GM N 69 9 .35 1.25 disc General Motors Company Common Stock
NIO N 7.2 45 .65 1.4 disc NIO Inc. American Depositary Shares
TM N 205 .4 .25 .8 disc Toyota Motor Corporation American Depositary Shares
RACE N 405 .5 .27 .9 disc Ferrari N.V. Common Shares
APTV N 82 2.6 .36 1.3 disc Aptiv PLC Ordinary Shares
ORLY Q 96 6 .21 .65 disc O'Reilly Automotive, Inc. Common Stock
AZO N 3750 .15 .22 .6 disc AutoZone, Inc. Common Stock
GPC N 130 1.1 .24 .8 disc Genuine Parts Company Common Stock
CMG N 32 16 .33 1.05 disc Chipotle Mexican Grill, Inc. Common Stock
YUM N 148 1.8 .19 .65 disc Yum! Brands, Inc. Common Stock
DRI N 178 1.2 .24 .8 disc Darden Restaurants, Inc. Common Stock
DPZ Q 410 .7 .25 .7 disc Domino's Pizza, Inc. Common Stock
LULU Q 170 4 .42 1.2 disc lululemon athletica inc. Common Stock
DECK N 84 4 .45 1.2 disc Deckers Outdoor Corporation Common Stock
RL N 330 .7 .33 1.25 disc Ralph Lauren Corporation Class A Common Stock
TPR N 105 3 .36 1.25 disc Tapestry, Inc. Common Stock
BBY N 79 3.4 .36 1.2 disc Best Buy Co., Inc. Common Stock
EBAY Q 83 6 .3 1.1 disc eBay Inc. Common Stock
CHWY N 34 6 .42 1.2 disc Chewy, Inc. Class A Common Stock
CVNA N 330 3 .7 1.9 disc Carvana Co. Class A Common Stock
KMX N 40 3 .4 1.3 disc CarMax, Inc. Common Stock
GME N 22 7 .6 1 disc GameStop Corp. Class A Common Stock
DHI N 148 2.6 .33 1.1 disc D.R. Horton, Inc. Common Stock
LEN N 125 2.6 .33 1.1 disc Lennar Corporation Class A Common Stock
PHM N 122 1.8 .33 1.15 disc PulteGroup, Inc. Common Stock
NVR N 7400 .03 .27 1 disc NVR, Inc. Common Stock
TOL N 135 1.3 .35 1.2 disc Toll Brothers, Inc. Common Stock
GRMN N 205 1 .28 1 disc Garmin Ltd. Common Stock
HAS Q 76 1.6 .28 .8 disc Hasbro, Inc. Common Stock
BABA N 160 15 .45 1 disc Alibaba Group Holding Limited American Depositary Shares
JD Q 31 10 .4 .9 disc JD.com, Inc. American Depositary Shares
PDD Q 132 8 .42 1 disc PDD Holdings Inc. American Depositary Shares
BIDU Q 122 3.4 .42 1 comm Baidu, Inc. American Depositary Shares
MELI Q 2050 .5 .38 1.4 disc MercadoLibre, Inc. Common Stock
SE N 140 5 .46 1.3 disc Sea Limited American Depositary Shares
CPNG N 28 10 .36 1.1 disc Coupang, Inc. Class A Common Stock
WMT N 102 17 .2 .65 stap Walmart Inc. Common Stock
COST Q 915 2 .2 .85 stap Costco Wholesale Corporation Common Stock
PG N 148 8 .16 .45 stap The Procter & Gamble Company Common Stock
PEP Q 145 7 .18 .45 stap PepsiCo, Inc. Common Stock
PM N 153 6 .21 .5 stap Philip Morris International Inc. Common Stock
MO N 58 9 .19 .5 stap Altria Group, Inc. Common Stock
MDLZ Q 57 9 .2 .5 stap Mondelez International, Inc. Class A Common Stock
CL N 78 5 .18 .45 stap Colgate-Palmolive Company Common Stock
KMB Q 104 4 .19 .4 stap Kimberly-Clark Corporation Common Stock
GIS N 47 6 .2 .3 stap General Mills, Inc. Common Stock
KHC Q 25 11 .21 .4 stap The Kraft Heinz Company Common Stock
HSY N 172 1.6 .23 .35 stap The Hershey Company Common Stock
KDP Q 27 12 .22 .5 stap Keurig Dr Pepper Inc. Common Stock
MNST Q 71 6 .21 .6 stap Monster Beverage Corporation Common Stock
STZ N 130 2.4 .26 .7 stap Constellation Brands, Inc. Class A Common Stock
EL N 92 4 .4 1.1 stap The Estee Lauder Companies Inc. Class A Common Stock
CLX N 106 1.8 .22 .5 stap The Clorox Company Common Stock
CHD N 85 2 .19 .45 stap Church & Dwight Co., Inc. Common Stock
SYY N 75 3.4 .2 .65 stap Sysco Corporation Common Stock
KR N 66 6 .23 .5 stap The Kroger Co. Common Stock
TGT N 91 6 .34 1 stap Target Corporation Common Stock
DG N 102 3.4 .36 .6 stap Dollar General Corporation Common Stock
DLTR Q 103 3.4 .38 .8 stap Dollar Tree, Inc. Common Stock
ADM N 60 4 .26 .7 stap Archer-Daniels-Midland Company Common Stock
BG N 96 1.8 .28 .7 stap Bunge Global SA Common Shares
TSN N 53 2.6 .23 .6 stap Tyson Foods, Inc. Class A Common Stock
CAG N 17.5 8 .21 .4 stap Conagra Brands, Inc. Common Stock
MKC N 66 2 .21 .5 stap McCormick & Company, Incorporated Common Stock
KVUE N 17 25 .27 .6 stap Kenvue Inc. Common Stock
CELH Q 45 6 .6 1.2 stap Celsius Holdings, Inc. Common Stock
UL N 60 2.4 .18 .5 stap Unilever PLC American Depositary Shares
BTI N 54 4 .2 .5 stap British American Tobacco p.l.c. American Depositary Shares
LLY N 1010 3.4 .36 .8 hlth Eli Lilly and Company Common Stock
JNJ N 195 8 .17 .45 hlth Johnson & Johnson Common Stock
UNH N 325 8 .36 .7 hlth UnitedHealth Group Incorporated Common Stock
ABBV N 232 6 .24 .6 hlth AbbVie Inc. Common Stock
MRK N 93 13 .25 .5 hlth Merck & Co., Inc. Common Stock
TMO N 575 1.7 .26 .9 hlth Thermo Fisher Scientific Inc. Common Stock
ABT N 130 6 .2 .7 hlth Abbott Laboratories Common Stock
DHR N 222 3.4 .27 .95 hlth Danaher Corporation Common Stock
AMGN Q 335 2.6 .24 .6 hlth Amgen Inc. Common Stock
GILD Q 123 6 .24 .5 hlth Gilead Sciences, Inc. Common Stock
BMY N 48 13 .25 .5 hlth Bristol-Myers Squibb Company Common Stock
ISRG Q 560 1.7 .32 1.2 hlth Intuitive Surgical, Inc. Common Stock
SYK N 362 1.4 .22 .95 hlth Stryker Corporation Common Stock
BSX N 100 8 .22 .8 hlth Boston Scientific Corporation Common Stock
MDT N 95 7 .2 .75 hlth Medtronic plc Ordinary Shares
VRTX Q 430 1.5 .3 .7 hlth Vertex Pharmaceuticals Incorporated Common Stock
REGN Q 680 .9 .32 .7 hlth Regeneron Pharmaceuticals, Inc. Common Stock
MRNA Q 25 10 .6 1.2 hlth Moderna, Inc. Common Stock
BIIB Q 165 1.4 .32 .7 hlth Biogen Inc. Common Stock
NVO N 48 14 .4 .7 hlth Novo Nordisk A/S American Depositary Shares
AZN Q 88 5 .24 .5 hlth AstraZeneca PLC American Depositary Shares
NVS N 128 1.6 .19 .5 hlth Novartis AG American Depositary Shares
GSK N 47 4 .23 .5 hlth GSK plc American Depositary Shares
ELV N 330 1.6 .33 .7 hlth Elevance Health, Inc. Common Stock
CI N 270 1.8 .28 .6 hlth The Cigna Group Common Stock
HUM N 245 1.6 .42 .7 hlth Humana Inc. Common Stock
CNC N 37 8 .45 .7 hlth Centene Corporation Common Stock
MOH N 150 1.4 .42 .6 hlth Molina Healthcare, Inc. Common Stock
CVS N 79 8 .29 .6 hlth CVS Health Corporation Common Stock
MCK N 830 .8 .22 .5 hlth McKesson Corporation Common Stock
COR N 360 1.1 .2 .5 hlth Cencora, Inc. Common Stock
CAH N 205 2 .22 .6 hlth Cardinal Health, Inc. Common Stock
HCA N 475 1.1 .27 1 hlth HCA Healthcare, Inc. Common Stock
THC N 210 1.1 .4 1.2 hlth Tenet Healthcare Corporation Common Stock
ZTS N 120 4 .26 .8 hlth Zoetis Inc. Class A Common Stock
BDX N 190 2 .22 .6 hlth Becton, Dickinson and Company Common Stock
EW N 85 4 .28 .9 hlth Edwards Lifesciences Corporation Common Stock
DXCM Q 58 6 .42 1.1 hlth DexCom, Inc. Common Stock
IDXX Q 700 .6 .32 1.1 hlth IDEXX Laboratories, Inc. Common Stock
A N 148 1.8 .28 1.05 hlth Agilent Technologies, Inc. Common Stock
IQV N 215 1.5 .32 1.1 hlth IQVIA Holdings Inc. Common Stock
RMD N 248 1 .28 .8 hlth ResMed Inc. Common Stock
GEHC Q 75 3.4 .29 1.05 hlth GE HealthCare Technologies Inc. Common Stock
MTD N 1400 .15 .29 1.1 hlth Mettler-Toledo International Inc. Common Stock
WAT N 375 .5 .29 1 hlth Waters Corporation Common Stock
ILMN Q 122 2 .45 1.3 hlth Illumina, Inc. Common Stock
ALGN Q 135 1.3 .45 1.4 hlth Align Technology, Inc. Common Stock
ZBH N 90 2 .25 .8 hlth Zimmer Biomet Holdings, Inc. Common Stock
LH N 265 .7 .21 .7 hlth Labcorp Holdings Inc. Common Stock
DGX N 188 .9 .2 .6 hlth Quest Diagnostics Incorporated Common Stock
VTRS Q 10.4 11 .3 .8 hlth Viatris Inc. Common Stock
TEVA N 24 10 .38 .9 hlth Teva Pharmaceutical Industries Limited American Depositary Shares
ALNY Q 440 1 .4 .7 hlth Alnylam Pharmaceuticals, Inc. Common Stock
HIMS N 42 20 .8 1.6 hlth Hims & Hers Health, Inc. Class A Common Stock
VEEV N 288 1 .3 1 hlth Veeva Systems Inc. Class A Common Stock
GE N 305 5 .32 1.2 indu GE Aerospace Common Stock
GEV N 575 2.6 .45 1.4 indu GE Vernova Inc. Common Stock
CAT N 560 3 .3 1.2 indu Caterpillar Inc. Common Stock
DE N 475 1.3 .27 1 indu Deere & Company Common Stock
HON Q 200 4 .22 .9 indu Honeywell International Inc. Common Stock
BA N 195 8 .36 1.2 indu The Boeing Company Common Stock
RTX N 175 5 .23 .7 indu RTX Corporation Common Stock
LMT N 465 1.4 .23 .4 indu Lockheed Martin Corporation Common Stock
NOC N 570 .8 .23 .4 indu Northrop Grumman Corporation Common Stock
GD N 342 1.2 .2 .5 indu General Dynamics Corporation Common Stock
LHX N 290 1 .23 .6 indu L3Harris Technologies, Inc. Common Stock
HWM N 205 2.6 .33 1.2 indu Howmet Aerospace Inc. Common Stock
TDG N 1340 .3 .27 1 indu TransDigm Group Incorporated Common Stock
AXON Q 560 1 .48 1.3 indu Axon Enterprise, Inc. Common Stock
UNP N 222 3 .22 .9 indu Union Pacific Corporation Common Stock
CSX Q 35 14 .24 1 indu CSX Corporation Common Stock
NSC N 285 1.3 .23 1 indu Norfolk Southern Corporation Common Stock
CP N 72 2.6 .23 .95 indu Canadian Pacific Kansas City Limited Common Shares
CNI N 96 1.6 .21 .85 indu Canadian National Railway Company Common Shares
UPS N 95 7 .28 1 indu United Parcel Service, Inc. Class B Common Stock
FDX N 268 1.7 .31 1.2 indu FedEx Corporation Common Stock
ODFL Q 138 1.9 .33 1.2 indu Old Dominion Freight Line, Inc. Common Stock
JBHT Q 172 1.2 .32 1.1 indu J.B. Hunt Transport Services, Inc. Common Stock
CHRW Q 152 1.5 .32 .9 indu C.H. Robinson Worldwide, Inc. Common Stock
DAL N 58 9 .4 1.4 indu Delta Air Lines, Inc. Common Stock
UAL Q 96 6 .45 1.5 indu United Airlines Holdings, Inc. Common Stock
AAL Q 13.2 45 .46 1.5 indu American Airlines Group Inc. Common Stock
LUV N 33 8 .36 1.2 indu Southwest Airlines Co. Common Stock
MMM N 167 3.4 .27 1 indu 3M Company Common Stock
EMR N 130 3 .28 1.2 indu Emerson Electric Co. Common Stock
ETN N 370 2.6 .33 1.25 indu Eaton Corporation, plc Ordinary Shares
PH N 840 .7 .28 1.2 indu Parker-Hannifin Corporation Common Stock
ITW N 248 1.1 .2 .95 indu Illinois Tool Works Inc. Common Stock
ROK N 385 .9 .29 1.2 indu Rockwell Automation, Inc. Common Stock
DOV N 185 1 .24 1.1 indu Dover Corporation Common Stock
AME N 195 1.3 .22 1 indu AMETEK, Inc. Common Stock
OTIS N 90 3.4 .21 .9 indu Otis Worldwide Corporation Common Stock
CARR N 55 6 .3 1.15 indu Carrier Global Corporation Common Stock
TT N 425 1.3 .28 1.15 indu Trane Technologies plc Ordinary Shares
JCI N 118 4 .29 1.15 indu Johnson Controls International plc Ordinary Shares
CMI N 465 .9 .28 1.1 indu Cummins Inc. Common Stock
PCAR Q 98 3 .27 1 indu PACCAR Inc Common Stock
WM N 205 2 .17 .6 indu Waste Management, Inc. Common Stock
RSG N 215 1.3 .17 .6 indu Republic Services, Inc. Common Stock
URI N 880 .5 .35 1.4 indu United Rentals, Inc. Common Stock
PWR N 440 1 .36 1.2 indu Quanta Services, Inc. Common Stock
FAST Q 41 6 .25 .95 indu Fastenal Company Common Stock
GWW N 960 .3 .23 1 indu W.W. Grainger, Inc. Common Stock
CTAS Q 187 1.7 .22 .9 indu Cintas Corporation Common Stock
PAYX Q 114 2.2 .21 .85 indu Paychex, Inc. Common Stock
ADP Q 257 2 .19 .8 indu Automatic Data Processing, Inc. Common Stock
VRSK Q 218 1.2 .22 .75 indu Verisk Analytics, Inc. Common Stock
EFX N 212 1 .31 1.2 indu Equifax Inc. Common Stock
CPRT Q 42 7 .25 .9 indu Copart, Inc. Common Stock
XYL N 148 1.3 .23 1 indu Xylem Inc. Common Stock
MAS N 64 2.4 .28 1.1 indu Masco Corporation Common Stock
PLUG Q 2.4 90 .95 1.9 indu Plug Power Inc. Common Stock
RKLB Q 50 20 .75 1.8 indu Rocket Lab Corporation Common Stock
BE N 105 12 .8 1.8 indu Bloom Energy Corporation Class A Common Stock
VRT N 175 7 .55 1.6 indu Vertiv Holdings Co Class A Common Stock
CVX N 155 8 .23 .7 enrg Chevron Corporation Common Stock
COP N 90 7 .29 .8 enrg ConocoPhillips Common Stock
SLB N 36 14 .32 1 enrg SLB Limited Common Stock
EOG N 108 3.4 .27 .75 enrg EOG Resources, Inc. Common Stock
OXY N 42 10 .31 .9 enrg Occidental Petroleum Corporation Common Stock
DVN N 34 8 .33 .95 enrg Devon Energy Corporation Common Stock
FANG Q 145 2 .33 .9 enrg Diamondback Energy, Inc. Common Stock
MPC N 190 2.2 .31 .85 enrg Marathon Petroleum Corporation Common Stock
PSX N 138 2.4 .3 .9 enrg Phillips 66 Common Stock
VLO N 178 2.8 .32 .9 enrg Valero Energy Corporation Common Stock
HAL N 27 11 .35 1.05 enrg Halliburton Company Common Stock
BKR Q 48 7 .3 1 enrg Baker Hughes Company Class A Common Stock
KMI N 26 12 .21 .7 enrg Kinder Morgan, Inc. Class P Common Stock
WMB N 60 6 .22 .7 enrg The Williams Companies, Inc. Common Stock
OKE N 70 3.6 .26 .85 enrg ONEOK, Inc. Common Stock
LNG N 208 1.9 .25 .6 enrg Cheniere Energy, Inc. Common Stock
TRGP N 170 1.6 .29 .85 enrg Targa Resources Corp. Common Stock
ET N 16.8 12 .2 .7 enrg Energy Transfer LP Common Units
EPD N 31 4 .16 .55 enrg Enterprise Products Partners L.P. Common Units
APA Q 25 7 .4 1.1 enrg APA Corporation Common Stock
EQT N 58 7 .34 .7 enrg EQT Corporation Common Stock
CTRA N 26 7 .28 .6 enrg Coterra Energy Inc. Common Stock
SHEL N 74 4 .22 .6 enrg Shell plc American Depositary Shares
BP N 36 8 .26 .65 enrg BP p.l.c. American Depositary Shares
PBR N 12.4 17 .34 .9 enrg Petroleo Brasileiro S.A. American Depositary Shares
IMO A 98 .5 .28 .8 enrg Imperial Oil Limited Common Stock
LEU A 320 1.2 .8 1.6 enrg Centrus Energy Corp. Class A Common Stock
UEC A 13 12 .62 1.4 enrg Uranium Energy Corp. Common Stock
LIN Q 425 2 .19 .8 matl Linde plc Ordinary Shares
SHW N 335 1.6 .24 1.05 matl The Sherwin-Williams Company Common Stock
APD N 262 1.3 .26 .85 matl Air Products and Chemicals, Inc. Common Stock
ECL N 260 1.2 .2 .85 matl Ecolab Inc. Common Stock
FCX N 41 16 .38 1.4 matl Freeport-McMoRan Inc. Common Stock
NEM N 90 10 .38 .5 matl Newmont Corporation Common Stock
NUE N 150 1.7 .33 1.2 matl Nucor Corporation Common Stock
STLD Q 158 1.4 .33 1.2 matl Steel Dynamics, Inc. Common Stock
AA N 38 6 .45 1.5 matl Alcoa Corporation Common Stock
CLF N 12.5 18 .55 1.6 matl Cleveland-Cliffs Inc. Common Stock
DOW N 23 10 .34 1.1 matl Dow Inc. Common Stock
DD N 40 4 .28 1.1 matl DuPont de Nemours, Inc. Common Stock
LYB N 46 4 .31 1.1 matl LyondellBasell Industries N.V. Class A Ordinary Shares
PPG N 100 2 .25 1.05 matl PPG Industries, Inc. Common Stock
CTVA N 65 4 .25 .75 matl Corteva, Inc. Common Stock
ALB N 105 4 .48 1.4 matl Albemarle Corporation Common Stock
CF N 86 2.4 .32 .8 matl CF Industries Holdings, Inc. Common Stock
VMC N 290 .8 .24 .95 matl Vulcan Materials Company Common Stock
MLM N 620 .4 .24 .95 matl Martin Marietta Materials, Inc. Common Stock
IP N 38 6 .32 1 matl International Paper Company Common Stock
BALL N 48 2.4 .24 .8 matl Ball Corporation Common Stock
MP N 58 9 .65 1.5 matl MP Materials Corp. Common Stock
B N 38 12 .38 .5 matl Barrick Mining Corporation Common Shares
AEM N 170 2.6 .35 .5 matl Agnico Eagle Mines Limited Common Shares
WPM N 105 2 .33 .5 matl Wheaton Precious Metals Corp. Common Shares
VALE N 12.4 32 .34 1 matl Vale S.A. American Depositary Shares
RIO N 70 2.6 .26 .9 matl Rio Tinto plc American Depositary Shares
BHP N 56 2.4 .26 .95 matl BHP Group Limited American Depositary Shares
BTG A 4.6 40 .45 .6 matl B2Gold Corp. Common Shares
NEE N 84 9 .23 .5 util NextEra Energy, Inc. Common Stock
SO N 91 5 .17 .35 util The Southern Company Common Stock
DUK N 123 3.4 .17 .35 util Duke Energy Corporation Common Stock
CEG Q 350 2.6 .42 1 util Constellation Energy Corporation Common Stock
VST N 180 5 .5 1.2 util Vistra Corp. Common Stock
AEP Q 121 3 .18 .4 util American Electric Power Company, Inc. Common Stock
D N 61 5 .21 .45 util Dominion Energy, Inc. Common Stock
EXC Q 46 7 .18 .4 util Exelon Corporation Common Stock
SRE N 92 3.4 .22 .5 util Sempra Common Stock
XEL Q 80 4 .18 .4 util Xcel Energy Inc. Common Stock
ED N 98 2 .17 .3 util Consolidated Edison, Inc. Common Stock
PEG N 82 2.6 .21 .5 util Public Service Enterprise Group Incorporated Common Stock
WEC N 111 2 .17 .35 util WEC Energy Group, Inc. Common Stock
ES N 73 2 .21 .45 util Eversource Energy Common Stock
ETR N 95 2.6 .2 .5 util Entergy Corporation Common Stock
DTE N 140 1.2 .18 .4 util DTE Energy Company Common Stock
PPL N 37 5 .18 .4 util PPL Corporation Common Stock
FE N 46 4 .18 .4 util FirstEnergy Corp. Common Stock
AEE N 105 1.6 .18 .4 util Ameren Corporation Common Stock
CNP N 39 4 .18 .4 util CenterPoint Energy, Inc. Common Stock
AWK N 130 1.4 .2 .4 util American Water Works Company, Inc. Common Stock
PCG N 16 18 .26 .5 util PG&E Corporation Common Stock
NRG N 165 3 .45 1.1 util NRG Energy, Inc. Common Stock
PLD N 125 4 .26 1.15 real Prologis, Inc. Common Stock
AMT N 182 2.4 .23 .65 real American Tower Corporation Common Stock
EQIX Q 800 .6 .25 .9 real Equinix, Inc. Common Stock
CCI N 91 3 .25 .7 real Crown Castle Inc. Common Stock
PSA N 275 .9 .22 .75 real Public Storage Common Stock
O N 57 5 .18 .7 real Realty Income Corporation Common Stock
SPG N 182 1.5 .25 1.15 real Simon Property Group, Inc. Common Stock
WELL N 190 2.8 .21 .75 real Welltower Inc. Common Stock
VTR N 79 2.8 .21 .75 real Ventas, Inc. Common Stock
DLR N 165 2 .28 1 real Digital Realty Trust, Inc. Common Stock
VICI N 29 8 .19 .7 real VICI Properties Inc. Common Stock
AVB N 178 .9 .22 .85 real AvalonBay Communities, Inc. Common Stock
EQR N 60 2.6 .22 .85 real Equity Residential Common Shares
INVH N 28 5 .22 .8 real Invitation Homes Inc. Common Stock
EXR N 132 1.2 .25 .85 real Extra Space Storage Inc. Common Stock
CBRE N 155 1.6 .3 1.2 real CBRE Group, Inc. Class A Common Stock
CSGP Q 68 3.4 .33 1 real CoStar Group, Inc. Common Stock
WY N 22 5 .26 1 real Weyerhaeuser Company Common Stock
IRM N 92 1.8 .31 1.05 real Iron Mountain Incorporated Common Stock
SBAC Q 195 1 .25 .7 real SBA Communications Corporation Class A Common Stock
Z Q 72 3 .42 1.4 real Zillow Group, Inc. Class C Capital Stock
CMCSA Q 28 25 .26 .85 comm Comcast Corporation Class A Common Stock
VZ N 40 20 .19 .4 comm Verizon Communications Inc. Common Stock
TMUS Q 212 4 .21 .55 comm T-Mobile US, Inc. Common Stock
CHTR Q 210 2 .38 .9 comm Charter Communications, Inc. Class A Common Stock
WBD Q 23 35 .48 1.3 comm Warner Bros. Discovery, Inc. Series A Common Stock
TTWO Q 240 1.8 .29 .8 comm Take-Two Interactive Software, Inc. Common Stock
RBLX N 105 9 .5 1.4 comm Roblox Corporation Class A Common Stock
U N 42 10 .62 1.6 comm Unity Software Inc. Common Stock
SPOT N 620 1.6 .38 1.2 comm Spotify Technology S.A. Ordinary Shares
SNAP N 8 45 .58 1.5 comm Snap Inc. Class A Common Stock
PINS N 26 14 .45 1.3 comm Pinterest, Inc. Class A Common Stock
RDDT N 195 6 .65 1.7 comm Reddit, Inc. Class A Common Stock
MTCH Q 33 5 .38 1.1 comm Match Group, Inc. Common Stock
ROKU Q 100 3.4 .55 1.6 comm Roku, Inc. Class A Common Stock
TTD Q 44 14 .55 1.4 comm The Trade Desk, Inc. Class A Common Stock
OMC N 74 3.6 .25 .85 comm Omnicom Group Inc. Common Stock
LYV N 140 2.8 .33 1.2 comm Live Nation Entertainment, Inc. Common Stock
FOXA Q 65 3.6 .24 .7 comm Fox Corporation Class A Common Stock
TKO N 188 .9 .27 .9 comm TKO Group Holdings, Inc. Class A Common Stock
NOK N 6.6 30 .33 .9 tech Nokia Corporation American Depositary Shares
ERIC Q 9.6 12 .32 .9 tech Telefonaktiebolaget LM Ericsson American Depositary Shares
SAP N 245 1.4 .28 1.1 tech SAP SE American Depositary Shares
SONY N 28 4 .28 .9 tech Sony Group Corporation American Depositary Shares
INFY N 17.2 10 .26 .8 tech Infosys Limited American Depositary Shares
IONQ N 50 25 .85 1.9 tech IonQ, Inc. Common Stock
PATH N 14 22 .55 1.4 tech UiPath Inc. Class A Common Stock
MARA Q 13 45 .85 2 fin MARA Holdings, Inc. Common Stock
RIOT Q 15.5 25 .8 2 fin Riot Platforms, Inc. Common Stock
DIA P 472 3.4 .145 .9 - SPDR Dow Jones Industrial Average ETF Trust
IWM P 240 32 .21 1.15 - iShares Russell 2000 ETF
VOO P 627 8 .16 1 - Vanguard S&P 500 ETF
IVV P 685 6 .16 1 - iShares Core S&P 500 ETF
VTI P 336 4 .162 1.01 - Vanguard Total Stock Market ETF
RSP P 188 9 .155 .95 - Invesco S&P 500 Equal Weight ETF
MDY P 590 .8 .19 1.1 - SPDR S&P MidCap 400 ETF Trust
IJH P 65 7 .19 1.1 - iShares Core S&P Mid-Cap ETF
IJR P 118 4 .21 1.12 - iShares Core S&P Small-Cap ETF
QQQM Q 253 3.4 .2 1.2 - Invesco NASDAQ 100 ETF
VUG P 485 1.2 .19 1.15 - Vanguard Growth ETF
VTV P 187 2.6 .14 .85 - Vanguard Value ETF
SCHD P 27 15 .14 .75 - Schwab US Dividend Equity ETF
VIG P 216 1.4 .14 .85 - Vanguard Dividend Appreciation ETF
VYM P 141 1.4 .14 .8 - Vanguard High Dividend Yield ETF
MTUM Z 252 .8 .2 1.1 - iShares MSCI USA Momentum Factor ETF
USMV Z 95 2.4 .12 .65 - iShares MSCI USA Min Vol Factor ETF
QUAL Z 196 1 .16 1 - iShares MSCI USA Quality Factor ETF
IGV Z 105 5 .27 1.2 tech iShares Expanded Tech-Software Sector ETF
ITA Z 210 .8 .2 .85 indu iShares U.S. Aerospace & Defense ETF
IEFA Z 88 11 .17 .8 - iShares Core MSCI EAFE ETF
INDA Z 54 6 .16 .55 - iShares MSCI India ETF
EWJ P 82 6 .18 .7 - iShares MSCI Japan ETF
EFA P 95 15 .17 .8 - iShares MSCI EAFE ETF
EEM P 54 30 .19 .85 - iShares MSCI Emerging Markets ETF
VWO P 54 10 .18 .8 - Vanguard FTSE Emerging Markets ETF
VEA P 61 13 .17 .8 - Vanguard FTSE Developed Markets ETF
VXUS Q 75 5 .17 .8 - Vanguard Total International Stock ETF
FXI P 39 30 .28 .7 - iShares China Large-Cap ETF
KWEB P 38 20 .35 .8 - KraneShares CSI China Internet ETF
EWZ P 32 25 .27 .8 - iShares MSCI Brazil ETF
XLK P 292 6 .235 1.25 tech State Street Technology Select Sector SPDR ETF
XLF P 52 40 .18 1 fin State Street Financial Select Sector SPDR ETF
XLV P 150 10 .15 .65 hlth State Street Health Care Select Sector SPDR ETF
XLE P 90 15 .19 .75 enrg State Street Energy Select Sector SPDR ETF
XLI P 155 9 .18 1 indu State Street Industrial Select Sector SPDR ETF
XLY P 238 4 .21 1.15 disc State Street Consumer Discretionary Select Sector SPDR ETF
XLP P 78 14 .135 .5 stap State Street Consumer Staples Select Sector SPDR ETF
XLU P 90 12 .14 .45 util State Street Utilities Select Sector SPDR ETF
XLB P 87 6 .175 .95 matl State Street Materials Select Sector SPDR ETF
XLRE P 41 6 .165 .8 real State Street Real Estate Select Sector SPDR ETF
XLC P 116 5 .19 1 comm State Street Communication Services Select Sector SPDR ETF
SMH Q 350 9 .32 1.6 tech VanEck Semiconductor ETF
SOXX Q 300 4 .31 1.6 tech iShares Semiconductor ETF
XBI P 112 9 .25 .9 hlth State Street SPDR S&P Biotech ETF
IBB Q 162 2 .2 .75 hlth iShares Biotechnology ETF
KRE P 60 14 .25 1.15 fin State Street SPDR S&P Regional Banking ETF
XOP P 128 3.4 .25 .9 enrg State Street SPDR S&P Oil & Gas Exploration & Production ETF
OIH P 275 .6 .28 1.05 enrg VanEck Oil Services ETF
XHB P 106 2.4 .22 1.1 disc State Street SPDR S&P Homebuilders ETF
XRT P 82 5 .22 1.15 disc State Street SPDR S&P Retail ETF
XME P 98 2 .28 1.2 matl State Street SPDR S&P Metals & Mining ETF
GDX P 76 25 .33 .4 matl VanEck Gold Miners ETF
JETS P 26 3 .27 1.3 indu U.S. Global Jets ETF
VNQ P 90 4 .165 .8 real Vanguard Real Estate ETF
TAN P 46 1.4 .38 1.3 util Invesco Solar ETF
ICLN Q 16 4 .25 .9 util iShares Global Clean Energy ETF
ARKK P 82 11 .38 1.7 tech ARK Innovation ETF
GLD P 368 12 .16 .1 - SPDR Gold Shares
IAU P 75 9 .16 .1 - iShares Gold Trust
SLV P 44 25 .29 .3 - iShares Silver Trust
USO P 71 6 .33 .4 - United States Oil Fund, LP
TLT Q 90 35 .13 0 - iShares 20+ Year Treasury Bond ETF
IEF Q 97 9 .065 0 - iShares 7-10 Year Treasury Bond ETF
SHY Q 83 4 .02 0 - iShares 1-3 Year Treasury Bond ETF
SHV Q 110 2.4 .005 0 - iShares Short Treasury Bond ETF
BIL P 91.6 9 .004 0 - State Street SPDR Bloomberg 1-3 Month T-Bill ETF
SGOV P 100.5 12 .004 0 - iShares 0-3 Month Treasury Bond ETF
GOVT Z 23.2 7 .055 0 - iShares U.S. Treasury Bond ETF
AGG P 100.5 9 .055 .02 - iShares Core U.S. Aggregate Bond ETF
BND Q 74.5 7 .055 .02 - Vanguard Total Bond Market ETF
LQD P 111.5 22 .075 .15 - iShares iBoxx $ Investment Grade Corporate Bond ETF
HYG P 80.8 32 .06 .3 - iShares iBoxx $ High Yield Corporate Bond ETF
JNK P 97.2 4 .06 .3 - State Street SPDR Bloomberg High Yield Bond ETF
TIP P 111 3 .06 0 - iShares TIPS Bond ETF
MUB P 107 4 .05 0 - iShares National Muni Bond ETF
EMB Q 96.5 6 .075 .25 - iShares J.P. Morgan USD Emerging Markets Bond ETF
UUP P 28.5 1.6 .07 -.1 - Invesco DB US Dollar Index Bullish Fund
JEPI P 57 5 .11 .6 - JPMorgan Equity Premium Income ETF
TQQQ Q 115 70 .6 3.6 - ProShares UltraPro QQQ
SQQQ Q 68 60 .6 -3.6 - ProShares UltraPro Short QQQ
SPXL P 220 4 .48 3 - Direxion Daily S&P 500 Bull 3X Shares
SSO P 113 2.6 .32 2 - ProShares Ultra S&P500
SH P 36 8 .16 -1 - ProShares Short S&P500
PSQ P 30 7 .2 -1.2 - ProShares Short QQQ
SOXL P 45 90 .95 4.8 tech Direxion Daily Semiconductor Bull 3X Shares
SOXS P 40 30 .95 -4.8 - Direxion Daily Semiconductor Bear 3X Shares
TNA P 47 13 .63 3.4 - Direxion Daily Small Cap Bull 3X Shares
VXX Z 33 8 .7 -3.5 - iPath Series B S&P 500 VIX Short-Term Futures ETN
UVXY Z 48 12 1 -5 - ProShares Ultra VIX Short-Term Futures ETF
IBIT Q 58 55 .5 0 - iShares Bitcoin Trust ETF
FBTC Z 89 5 .5 .9 - Fidelity Wise Origin Bitcoin Fund
BITO P 17 30 .5 .9 - ProShares Bitcoin ETF
`
