//! Turkish words whose ends look like endings, so that the rules would give them the stems of other words (`hakem` and
//! `hak`, `Kanada` and `kanun`, `zamanaşımı` and `zam`).

/// Words of law and business that are their own stems. Sorted.
#[rustfmt::skip]
const WHOLE: &[&str] = &[
    "adana", "agri", "akdeniz", "almanca", "amman", "aralik", "ardin", "artis", "avukat", "ayrica", "ayrim",
    "azerbaycan", "baglam", "bakan", "bakim", "bakiye", "baku", "baska", "baskan", "baski", "baskin", "baslik",
    "beyan", "bilisim", "birey", "birim", "birlik", "birlikte", "bolum", "bosan", "bursa", "calin", "ceviri", "cevre",
    "delil", "devam", "dilekce", "dogum", "donem", "ermeni", "ermenistan", "estonca", "etik", "eylem", "eylul",
    "gerekce", "girisim", "gundem", "gunes", "guvence", "guvenlik", "hakem", "hakim", "hakkimizda",
    "hakkindaki", "hamile", "hata", "haziran", "hollanda", "ibranice", "ifade", "ilgi", "ilke", "insan",
    "irade", "iran", "istem", "izlanda", "kabul", "kadin", "kanada", "kanun", "karadeniz", "kasim", "kaza",
    "kesim", "kesin", "kidem", "kimlik", "kisi", "konum", "kore", "kudus", "kurtce", "kurulum", "kurulus",
    "kurum", "madde", "maden", "mahkum", "makam", "makine", "maliye", "manama", "mardin", "medeni", "milano",
    "mugla", "olum", "ordu", "ortam", "oturum", "ozellik", "paris", "pekin", "police", "polis", "rize", "sade", "sadece",
    "saglam", "saglik", "sanayi", "saniye", "sistem", "sorun", "sorusturma", "suriye", "tabi", "tahkim",
    "tahliye", "tahsil", "tahsis", "taksim", "tapu", "tarih", "tasarim", "tasima", "teblig", "temin", "tiran",
    "toplam", "toplu", "topluluk", "toplum", "tunus", "turkmence", "varlik", "vatandas", "veri", "verim",
    "yapay", "yapim", "yarim", "yasa", "yasam", "yasama", "yazilim", "yemin", "yonetmelik", "yorum", "zaman",
    "zamanasim",
];

/// Beginnings of forms with the stem of their word: other roots (`hükm-ü`), and forms that the rules would not reduce
/// to that stem. Sorted.
#[rustfmt::skip]
const OTHER: &[(&str, &str)] = &[
    ("aralig", "aralik"), ("artan", "artis"), ("artir", "artis"), ("artiran", "artis"), ("arttir", "artis"),
    ("arttiran", "artis"), ("baslig", "baslik"), ("birlig", "birlik"), ("bosanan", "bosan"), ("etig", "etik"),
    ("guvenlig", "guvenlik"), ("hakkinizda", "hakkimizda"), ("hukum", "hukm"), ("istemek", "istem"),
    ("istenme", "istem"), ("isteyen", "istem"), ("kanunen", "kanun"), ("kimlig", "kimlik"), ("kisim", "kism"),
    ("metin", "metn"), ("ozellig", "ozellik"), ("rehin", "rehn"), ("resim", "resm"), ("sagla", "sagl"),
    ("saglama", "sagl"), ("saglig", "saglik"), ("sakla", "sakl"), ("sanayii", "sanayi"), ("tasiyan", "tasima"),
    ("toplama", "topl"), ("toplulug", "topluluk"), ("varlig", "varlik"), ("yasamak", "yasam"),
    ("yonetmelig", "yonetmelik"),
];

/// Returns the stem of `form` if its word is listed here. `reaches` returns whether removing endings shortens the form
/// to its first letters of the given number.
pub(super) fn stem(form: &str, reaches: impl Fn(usize) -> bool) -> Option<&'static str> {
    const MIN_LENGTH: usize = 4;
    (MIN_LENGTH..=form.len()).rev().find_map(|length| {
        let stem = find(&form[..length])?;
        reaches(length).then_some(stem)
    })
}

fn find(root: &str) -> Option<&'static str> {
    let other = || Some(OTHER[OTHER.binary_search_by(|(other, _)| (*other).cmp(root)).ok()?].1);
    WHOLE.binary_search(&root).ok().map(|place| WHOLE[place]).or_else(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_listed_once_in_order_and_folded() {
        assert!(WHOLE.is_sorted_by(|a, b| a < b));
        assert!(OTHER.is_sorted_by(|a, b| a.0 < b.0));
        for root in WHOLE.iter().copied().chain(OTHER.iter().map(|(root, _)| *root)) {
            assert!(root.len() >= 4 && crate::fold(root) == root, "{root}");
        }
        assert!(OTHER.iter().all(|(root, _)| !WHOLE.contains(root)));
    }
}
