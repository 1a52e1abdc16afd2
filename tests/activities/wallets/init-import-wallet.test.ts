import { privateKeys, testInitImport, wallets } from '../init-imports.ts';

testInitImport(wallets, privateKeys);
