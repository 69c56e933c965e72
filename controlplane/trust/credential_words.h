#ifndef GATEHOUSE_CONTROLPLANE_TRUST_CREDENTIAL_WORDS_H_
#define GATEHOUSE_CONTROLPLANE_TRUST_CREDENTIAL_WORDS_H_

#include <array>
#include <string_view>

namespace gatehouse::trust {

// What a form field that asks for a credential is called, in lower-case plain
// Latin. English first, then the common words for a password of other
// languages; a list of words can never be whole.

// A whole word of the text.
inline constexpr std::array kCredentialWords = {
    std::string_view("secret"),      std::string_view("secrets"),
    std::string_view("token"),       std::string_view("pwd"),
    std::string_view("passwd"),      std::string_view("pin"),
    std::string_view("otp"),         std::string_view("totp"),
    std::string_view("cvv"),         std::string_view("cvc"),
    std::string_view("csc"),         std::string_view("jwt"),
    std::string_view("pat"),         std::string_view("mfa"),
    std::string_view("2fa"),         std::string_view("mnemonic"),
    std::string_view("senha"),       std::string_view("parola"),
    std::string_view("haslo"),       std::string_view("losenord"),
    std::string_view("salasana"),    std::string_view("wachtwoord"),
    std::string_view("adgangskode"), std::string_view("otps"),
    std::string_view("пин"),         std::string_view("секрет"),
};

// How a word of the text ends: `githubtoken`. Not `tokens`, which models count.
inline constexpr std::array kCredentialEnds = {
    std::string_view("token"),
    std::string_view("secret"),
};

// Anywhere in the text, its separators taken out: long enough to mean nothing
// else.
inline constexpr std::array kCredentialStems = {
    std::string_view("password"),
    std::string_view("passwd"),
    std::string_view("passphrase"),
    std::string_view("passcode"),
    std::string_view("apikey"),
    std::string_view("secretkey"),
    std::string_view("privatekey"),
    std::string_view("accesskey"),
    std::string_view("encryptionkey"),
    std::string_view("signingkey"),
    std::string_view("sshkey"),
    std::string_view("accesstoken"),
    std::string_view("authtoken"),
    std::string_view("refreshtoken"),
    std::string_view("bearertoken"),
    std::string_view("idtoken"),
    std::string_view("sessiontoken"),
    std::string_view("clientsecret"),
    std::string_view("credential"),
    std::string_view("creditcard"),
    std::string_view("debitcard"),
    std::string_view("cardnumber"),
    std::string_view("cardverification"),
    std::string_view("onetimecode"),
    std::string_view("onetimepassword"),
    std::string_view("securitycode"),
    std::string_view("verificationcode"),
    std::string_view("authenticationcode"),
    std::string_view("authcode"),
    std::string_view("recoveryphrase"),
    std::string_view("recoverycode"),
    std::string_view("backupcode"),
    std::string_view("seedphrase"),
    std::string_view("seedwords"),
    std::string_view("passwort"),
    std::string_view("kennwort"),
    std::string_view("contrasena"),
    std::string_view("motdepasse"),
    std::string_view("pincode"),
    std::string_view("otpcode"),
    std::string_view("cvvcode"),
    std::string_view("cvccode"),
    std::string_view("apitoken"),
    std::string_view("tokenvalue"),
    std::string_view("secretvalue"),
    // Scripts that do not look Latin stay as they are.
    std::string_view("пароль"),
    std::string_view("токен"),
    std::string_view("пинкод"),
    std::string_view("密码"),
    std::string_view("密碼"),
    std::string_view("パスワード"),
    std::string_view("비밀번호"),
    std::string_view("暗証番号"),
};

// All of the text, its separators taken out.
inline constexpr std::array kCredentialWholes = {
    std::string_view("key"),      std::string_view("card"),
    std::string_view("pan"),      std::string_view("cc"),
    std::string_view("ccnumber"), std::string_view("ccnum"),
    std::string_view("cardno"),   std::string_view("pass"),
};

}  // namespace gatehouse::trust

#endif  // GATEHOUSE_CONTROLPLANE_TRUST_CREDENTIAL_WORDS_H_
