//! How a password is proven without being sent: the verifiers of releases 11g and 12c.
//!
//! Both sides make up half of a key and send it encrypted with a hash of the password. Both halves
//! together are the key with which the client encrypts the password and the server its own proof.

use aes::cipher::block_padding::NoPadding;
use aes::cipher::{BlockModeDecrypt, BlockModeEncrypt, KeyIvInit};
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha512};

/// What a verifier is derived from, besides the password. Nothing here is a secret, so they are
/// the same each time.
const SALT: [u8; 16] = *b"salt of the fake";
const MIXING_SALT: [u8; 16] = *b"mixing salt here";
/// How often a 12c verifier is hashed, as on real servers.
const ROUNDS: u32 = 4096;
const MIXING_ROUNDS: u32 = 3;
/// What a server encrypts to show that it knows the password, too.
const PROOF: &[u8; 16] = b"SERVER_TO_CLIENT";

/// Which hash of a password the server keeps.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verifier {
    /// SHA-1 of the password.
    Sha1,
    /// PBKDF2 with SHA-512.
    Pbkdf2,
}

/// A value that is sent when a user logs on: its name, the value, and flags.
pub(crate) type Pair = (&'static str, String, u64);

impl Verifier {
    /// What the server sends of itself to somebody with this password.
    pub(crate) fn challenge(self, password: &str) -> Vec<Pair> {
        let half = encrypt(&self.hash(password), &self.half());
        let mut pairs = vec![("AUTH_SESSKEY", hex(&half), 0)];
        match self {
            Verifier::Sha1 => pairs.push(("AUTH_VFR_DATA", hex(self.salt()), 6949)),
            Verifier::Pbkdf2 => pairs.extend([
                ("AUTH_VFR_DATA", hex(self.salt()), 18453),
                ("AUTH_PBKDF2_CSK_SALT", hex(&MIXING_SALT), 0),
                ("AUTH_PBKDF2_VGEN_COUNT", ROUNDS.to_string(), 0),
                ("AUTH_PBKDF2_SDER_COUNT", MIXING_ROUNDS.to_string(), 0),
            ]),
        }
        pairs
    }

    /// The server's own proof, if the client's half of the key and the password it sent
    /// (`AUTH_SESSKEY` and `AUTH_PASSWORD`) are those of somebody who knows the password.
    pub(crate) fn proof(self, password: &str, half: &str, sent: &str) -> Option<Pair> {
        let half = decrypt(&self.hash(password), &bytes(half)?)?;
        let key = self.mix(&half)?;
        let sent = unpadded(decrypt(&key, &bytes(sent)?)?)?;
        (sent.get(16..)? == password.as_bytes()).then(|| {
            let proof = [&SALT, PROOF.as_slice(), &[16; 16]].concat();
            ("AUTH_SVR_RESPONSE", hex(&encrypt(&key, &proof)), 0)
        })
    }

    fn salt(self) -> &'static [u8] {
        match self {
            Verifier::Sha1 => &SALT[..10],
            Verifier::Pbkdf2 => &SALT,
        }
    }

    /// The server's half of the key.
    fn half(self) -> Vec<u8> {
        match self {
            Verifier::Sha1 => vec![0x5a; 48],
            Verifier::Pbkdf2 => vec![0x5a; 32],
        }
    }

    /// The key that is made of the password.
    fn hash(self, password: &str) -> Vec<u8> {
        match self {
            Verifier::Sha1 => {
                let digest = Sha1::new().chain_update(password).chain_update(self.salt());
                [digest.finalize().as_slice(), &[0; 4]].concat()
            }
            Verifier::Pbkdf2 => {
                let salt = [self.salt(), b"AUTH_PBKDF2_SPEEDY_KEY"].concat();
                let mut key = [0; 64];
                pbkdf2::pbkdf2_hmac::<Sha512>(password.as_bytes(), &salt, ROUNDS, &mut key);
                let digest = Sha512::new().chain_update(key).chain_update(self.salt());
                digest.finalize()[..32].to_vec()
            }
        }
    }

    /// The key of both halves.
    fn mix(self, client: &[u8]) -> Option<Vec<u8>> {
        let server = self.half();
        match self {
            Verifier::Sha1 => {
                let pairs = client.get(16..40)?.iter().zip(&server[16..40]);
                let mixed: Vec<u8> = pairs.map(|(ours, theirs)| ours ^ theirs).collect();
                let (first, second) = mixed.split_at(16);
                Some([&Md5::digest(first)[..], &Md5::digest(second)[..8]].concat())
            }
            Verifier::Pbkdf2 => {
                let both = hex(&[client.get(..32)?, &server].concat());
                let mut key = vec![0; 32];
                let (both, rounds) = (both.as_bytes(), MIXING_ROUNDS);
                pbkdf2::pbkdf2_hmac::<Sha512>(both, &MIXING_SALT, rounds, &mut key);
                Some(key)
            }
        }
    }
}

const NO_VECTOR: [u8; 16] = [0; 16];

/// AES in CBC mode, with 192 or 256 bits by the length of the key; `text` is whole blocks.
fn encrypt(key: &[u8], text: &[u8]) -> Vec<u8> {
    if key.len() == 24 {
        let cipher = cbc::Encryptor::<aes::Aes192>::new_from_slices(key, &NO_VECTOR);
        cipher.map(|cipher| cipher.encrypt_padded_vec::<NoPadding>(text)).unwrap_or_default()
    } else {
        let cipher = cbc::Encryptor::<aes::Aes256>::new_from_slices(key, &NO_VECTOR);
        cipher.map(|cipher| cipher.encrypt_padded_vec::<NoPadding>(text)).unwrap_or_default()
    }
}

fn decrypt(key: &[u8], text: &[u8]) -> Option<Vec<u8>> {
    if key.len() == 24 {
        let cipher = cbc::Decryptor::<aes::Aes192>::new_from_slices(key, &NO_VECTOR).ok()?;
        cipher.decrypt_padded_vec::<NoPadding>(text).ok()
    } else {
        let cipher = cbc::Decryptor::<aes::Aes256>::new_from_slices(key, &NO_VECTOR).ok()?;
        cipher.decrypt_padded_vec::<NoPadding>(text).ok()
    }
}

/// Without the bytes that fill the last block, each of which says how many they are.
fn unpadded(mut bytes: Vec<u8>) -> Option<Vec<u8>> {
    let padding = usize::from(*bytes.last()?);
    bytes.truncate(bytes.len().checked_sub(padding)?);
    Some(bytes)
}

fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    let digits = bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 0xf)]);
    digits.collect::<String>().to_uppercase()
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = hex.chars().map(|digit| digit.to_digit(16)).collect();
    let pairs = digits?;
    let pair = |pair: &[u32]| u8::try_from(pair[0] * 16 + pair.get(1)?).ok();
    pairs.chunks(2).map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSWORD: &str = "Tiger_\u{fc}";

    /// What each side sends, computed by a program in Python with its hashes and ciphers: the
    /// server's half of the key, the client's (bytes from 0 on), its password, and the server's proof.
    #[test]
    fn both_sides_send_what_another_program_computes() {
        for (verifier, challenge, half, sent, proof) in [
            (
                Verifier::Sha1,
                concat!(
                    "E257688A2FDD186B5FB6B4EF2F1EE0A04FA42B5C1A9A157D35D0DBBC3EED439C",
                    "4207F84EFF54C23E714656601E2263BD",
                ),
                concat!(
                    "50BF06E28DB08F8882514B10883A3BE730972116EC08370A4601537121EA3A08",
                    "CE0EEDA75EE8331AB73CF6642D3BA646",
                ),
                "CCC9DE5814E89AD23CBBA80D45FF936ACDF8D22165313F46A263A292AFFB6F91",
                concat!(
                    "99556F24C52C0C8D516CCA44086F40594FCB7CDF091329422E3E5E6EF631EAB8",
                    "CCFA5C748438B3B4AEBF931214FCDECC",
                ),
            ),
            (
                Verifier::Pbkdf2,
                "23450EC3DA93F5511EB20B19B3AE570D4415A21E4F8257D6ECDFE563B5003867",
                "F25DD54D458622C9332159930524E9E86FDA20D8B9C1623423CD777B9672A334",
                "24097A427FA9B7FDE8E792ABF96555A3C4ACAB9A04BB63036569D77D433BE28F",
                concat!(
                    "E36B21BCDE404294E2F58CC4BD41A460267F5C07A5C104A2D010CA40F35039B9",
                    "584AC06B44BB0A02DD061F9113C02FB6",
                ),
            ),
        ] {
            assert_eq!(verifier.challenge(PASSWORD)[0].1, challenge, "{verifier:?}");
            let given = verifier.proof(PASSWORD, half, sent).map(|(_, value, _)| value);
            assert_eq!(given.as_deref(), Some(proof), "{verifier:?}");
            assert_eq!(verifier.proof("tiger", half, sent), None, "{verifier:?}");
            assert_eq!(verifier.proof(PASSWORD, "", "not hex"), None, "{verifier:?}");
        }
    }
}
