/** Thanks, yes and fine in the languages that Teams has, as people type them, without case and punctuation. */
const WORDS = `thanks, thank you, thank you so much, thanks a lot, many thanks, thx, ty, cheers, great, perfect, nice, cool,
  ok, okay, k, alright, all right, got it, fine, good, done, fixed, yes, no, sure, will do, never mind,
  danke, danke dir, danke schön, dankeschön, vielen dank, alles klar, super, passt, gut, erledigt, ja, nein,
  merci, merci beaucoup, d'accord, c'est bon, parfait, oui, non, gracias, muchas gracias, vale, perfecto, de acuerdo, sí, listo,
  obrigado, obrigada, muito obrigado, valeu, beleza, certo, sim, grazie, grazie mille, va bene, perfetto, sì,
  dank je, dank u, dankjewel, bedankt, prima, oké, goed, tak, mange tak, takk, tusen takk, tack, tack så mycket, toppen, bra,
  kiitos, kiitti, hyvä, selvä, takk fyrir, aitäh, tänan, paldies, labi, ačiū, dėkui, gerai,
  dziękuję, dzięki, dobrze, jasne, děkuji, díky, dobře, ďakujem, vďaka, dobre, hvala, u redu, dobro, köszönöm, köszi, rendben,
  mulțumesc, multumesc, mersi, bine, благодаря, добре, хвала, спасибо, спасибо большое, хорошо, ладно, дякую, добре, рахмет,
  faleminderit, mirë, ευχαριστώ, εντάξει, teşekkürler, teşekkür ederim, sağol, tamam, təşəkkürlər, madloba, გმადლობთ,
  gràcies, moltes gràcies, d'acord, grazas, moitas grazas, eskerrik asko, ados, diolch, go raibh maith agat,
  terima kasih, makasih, baik, salamat, sige, cảm ơn, cám ơn, được, asante, dankie,
  شكرا, شكراً, حسنا, تمام, متشکرم, ممنون, باشه, شکریہ, תודה, תודה רבה, בסדר, धन्यवाद, शुक्रिया, ठीक है, ধন্যবাদ, நன்றி, ధన్యవాదాలు,
  ขอบคุณ, ขอบคุณครับ, ขอบคุณค่ะ, โอเค, ありがとう, ありがとうございます, 了解, 了解です, はい, 감사합니다, 고마워요, 네, 알겠습니다,
  谢谢, 谢谢你, 好的, 收到, 好, 謝謝, 感謝, 收到了`;

const THANKS: ReadonlySet<string> = new Set(WORDS.split(/,\s*/).map(plain));

/** Whether a message says nothing but thanks or fine. */
export function isThanks(text: string): boolean {
  const words = plain(text);
  return THANKS.has(words) || (words === '' && /\p{Extended_Pictographic}/u.test(text));
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}\s'’]/gu, '')
    .replaceAll('’', "'")
    .replace(/\s+/g, ' ')
    .trim();
}
