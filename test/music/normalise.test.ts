import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normaliseName, sameName } from '../../src/music/names.ts';
import { assertNone } from '../support/entries.ts';

const FORMS: readonly (readonly [string, string])[] = [
  ['Zoë Ålmqvarn', 'zoe almqvarn'],
  ['Łukomír Żelwar', 'lukomir zelwar'],
  ['Bjørnskår Ødegryn', 'bjornskar odegryn'],
  ['Đorvath & Straße Nord', 'dorvath and strasse nord'],
  ['STRAẞE', 'strasse'],
  ['Ærlind Œuvrelle', 'aerlind oeuvrelle'],
  ['Þorgrell Ħal Ŧen', 'thorgrell hal ten'],
  ['Trằmvương', 'tramvuong'],
  ['IŞIK ışık İşik', 'isik isik isik'],
  ['ΟΔΟΣ ΚΕΡΙΟΥ', 'οδοσ κεριου'],
  ['οδός κεριού', 'οδοσ κεριου'],
  ['Ёлкин ЙОД', 'елкин иод'],
  ['שָׁעוֹן', 'שעון'],
  ['إِبْرِيق', 'ابريق'],
  ['مـنـارة', 'منارة'],
  ['か', 'か'],
  ['が', 'が'],
  ['ﾊﾟﾄﾞﾙ', 'パドル'],
  ['등대', '등대'],
  ['कि', 'कि'],
  ['灯台・硯', '灯台 硯'],
  ['Ｐｌｉｎｔｈ　２', 'plinth 2'],
  ['ﬁnch Ⅳ', 'finch iv'],
  ['Rope & Tar', 'rope and tar'],
  ['Rope + Tar', 'rope and tar'],
  ["Rope 'n' Tar", 'rope and tar'],
  ['Rope ’n’ Tar', 'rope and tar'],
  ["Rope n' Tar", 'rope and tar'],
  ["Rope'n'Tar", 'rope and tar'],
  ["Je n'y tiens", 'je ny tiens'],
  ['Don’t Unpick It', 'dont unpick it'],
  ["Don't Unpick It", 'dont unpick it'],
  ['Kettle…', 'kettle'],
  ['Kettle – Harbour—Hum', 'kettle harbour hum'],
  ['  Kettle\t\u00a0Harbour ', 'kettle harbour'],
  ['Ket\u00adtle\u200b', 'kettle'],
  ['M.O.R.V.', 'm o r v'],
  ['K$sk8', 'kssk8'],
  ['$400', '400'],
  ['10,000 Kettles', '10000 kettles'],
  ['11:47', '11 47'],
  ['Kettle™', 'kettle'],
  ['Kettle 🔥', 'kettle'],
  ['???', '???'],
  ['！？', '!?'],
  ['! ! !', '!!!'],
  ['+', '+'],
  ['&', '&'],
  ['🔥', '🔥'],
  ['❤️', '❤'],
  ['…—…', '...-...'],
  ['   ', ''],
];

for (const [text, form] of FORMS) {
  test(`"${text}" is compared as "${form}"`, () => {
    assert.equal(normaliseName(text), form);
  });
}

test('normalising twice changes nothing', () => {
  const forms = FORMS.map(([, form]) => form);
  assert.deepEqual(forms.map(normaliseName), forms);
});

test('names that differ only in spelling are equal', () => {
  const pairs = [
    ['The Kettles', 'kettles'],
    ['M.O.R.V.', 'MORV'],
    ['Kettle-Harbour', 'Kettleharbour'],
    ["D'Quillane O'Brask", 'DQuillane OBrask'],
    ['Ｋｅｔｔｌｅ', 'kettle'],
    ['ヴェルモラン', 'ｳﾞｪﾙﾓﾗﾝ'],
  ] as const;
  assertNone(pairs, ([a, b]) => !sameName(a, b));
});

test('different names are not equal', () => {
  const pairs = [
    ['か', 'が'],
    ['はな', 'ぱな'],
    ['कि', 'का'],
    ['각', '가'],
    ['???', '!!!'],
    ['🔥', '❤'],
    ['+', '&'],
    ['+', 'and'],
    ['Kettle', 'Kettles'],
    ['1 23', '12 3'],
    ['', ''],
    [' ', '\t'],
    ['\u200b', 'Kettle'],
    ['ㅤ', 'Kettle'],
  ] as const;
  assertNone(pairs, ([a, b]) => sameName(a, b));
});
