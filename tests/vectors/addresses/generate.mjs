// Writes random.json: for each format the addresses of 100 public keys, by libraries that share no code with this repository.
// Run it in a scratch folder where the packages of SOURCE.md are installed, with @ton/core, tiny-secp256k1 and @noble/curves:
//   node generate.mjs > random.json
import { createHash } from 'node:crypto';
import { Ed25519PublicKey as AptosKey, AuthenticationKey } from '@aptos-labs/ts-sdk';
import { pubkeyToAddress, encodeSecp256k1Pubkey } from '@cosmjs/amino';
import { Ed25519PublicKey as SuiKey } from '@mysten/sui/keypairs/ed25519';
import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { StrKey } from '@stellar/stellar-base';
import { WalletContractV3R2, WalletContractV4, WalletContractV5R1 } from '@ton/ton';
import * as bitcoin from 'bitcoinjs-lib';
import bs58 from 'bs58';
import { computeAddress } from 'ethers';
import { deriveAddress } from 'ripple-keypairs';
import * as tiny from 'tiny-secp256k1';
import { TronWeb } from 'tronweb';

bitcoin.initEccLib(tiny);
const keys = Array.from({ length: 100 }, (_, i) => createHash('sha256').update(`address vectors ${i + 5}`).digest());
const hex = (bytes) => Buffer.from(bytes).toString('hex');
const pay = (network) => ({
  P2PKH: (pubkey) => bitcoin.payments.p2pkh({ pubkey, network }),
  P2SH: (pubkey) => bitcoin.payments.p2sh({ redeem: bitcoin.payments.p2wpkh({ pubkey, network }), network }),
  P2WPKH: (pubkey) => bitcoin.payments.p2wpkh({ pubkey, network }),
  P2WSH: (pubkey) => bitcoin.payments.p2wsh({ redeem: bitcoin.payments.p2pk({ pubkey, network }), network }),
  P2TR: (pubkey) => bitcoin.payments.p2tr({ internalPubkey: pubkey.subarray(1), network }),
});
const { bitcoin: mainnet, testnet, regtest } = bitcoin.networks;
const networks = { MAINNET: mainnet, TESTNET: testnet, SIGNET: testnet, REGTEST: regtest };
const doge = (pubKeyHash) => ({ ...mainnet, pubKeyHash });
const ton = (wallet) => wallet.address.toString({ bounceable: false, testOnly: false, urlSafe: true });

const onSecp256k1 = {
  ETHEREUM: (_, k) => computeAddress(`0x${hex(k)}`),
  COSMOS: (p) => pubkeyToAddress(encodeSecp256k1Pubkey(p), 'cosmos'),
  SEI: (p) => pubkeyToAddress(encodeSecp256k1Pubkey(p), 'sei'),
  TRON: (_, k) => TronWeb.address.fromPrivateKey(hex(k)),
  XRP: (p) => deriveAddress(hex(p).toUpperCase()),
  DOGE_MAINNET: (p) => bitcoin.payments.p2pkh({ pubkey: p, network: doge(30) }).address,
  DOGE_TESTNET: (p) => bitcoin.payments.p2pkh({ pubkey: p, network: doge(113) }).address,
};
for (const [name, network] of Object.entries(networks))
  for (const [kind, make] of Object.entries(pay(network))) onSecp256k1[`BITCOIN_${name}_${kind}`] = (p) => make(p).address;
const onEd25519 = {
  SOLANA: (p) => bs58.encode(p),
  SUI: (p) => new SuiKey(p).toSuiAddress(),
  APTOS: (p) => AuthenticationKey.fromPublicKey({ publicKey: new AptosKey(p) }).derivedAddress().toStringLong(),
  XLM: (p) => StrKey.encodeEd25519PublicKey(Buffer.from(p)),
  TON_V3R2: (p) => ton(WalletContractV3R2.create({ workchain: 0, publicKey: Buffer.from(p) })),
  TON_V4R2: (p) => ton(WalletContractV4.create({ workchain: 0, publicKey: Buffer.from(p) })),
  TON_V5R1: (p) => ton(WalletContractV5R1.create({ workchain: 0, publicKey: Buffer.from(p) })),
};
const out = {};
for (const [name, make] of Object.entries(onSecp256k1))
  out[`ADDRESS_FORMAT_${name}`] = keys.map((k) => make(Buffer.from(secp256k1.getPublicKey(k, true)), k));
for (const [name, make] of Object.entries(onEd25519))
  out[`ADDRESS_FORMAT_${name}`] = keys.map((k) => make(Buffer.from(ed25519.getPublicKey(k))));
console.log(`{\n${Object.entries(out).map(([name, list]) => `"${name}": ${JSON.stringify(list)}`).join(',\n')}\n}`);
